#!/usr/bin/env node
import { setCompilerFlags } from './compiler.mjs';

setCompilerFlags();
await import('../dist/cli.js');
