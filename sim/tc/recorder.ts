/** Name of the file that the stand-in writes unless TC_RECORD says otherwise. */
export const RECORDING = 'tc-recorded.sh';

/** The way out where a script must be run to know what it does. */
export const WAY_OUT = `run the script once with the recording stand-in for tc (sim import tc --recorder), then import ${RECORDING}`;

/**
 * A stand-in for tc that changes nothing: it writes each call, quoted, as a line that the import reads, also those
 * of `tc -batch`.
 */
export function recorderScript(): string {
  return `#!/bin/sh
# Stand-in for tc: writes every call to \${TC_RECORD:-${RECORDING}} and changes nothing.
#   mkdir recorder && sim import tc --recorder > recorder/tc && chmod +x recorder/tc
#   PATH="$PWD/recorder:$PATH" TC_RECORD="$PWD/${RECORDING}" sh my-shaper.sh start
#   sim import tc ${RECORDING}
# A script that calls /sbin/tc by its full name, or tc with sudo (whose PATH is its own), must be told to call tc.
# Only tc is stood in for: what else the script calls (iptables, ip, modprobe) really runs.
log=\${TC_RECORD:-${RECORDING}}
batch=
previous=
line=tc
for word in "$@"; do
  case $previous in
    -b|-ba|-bat|-batc|-batch|-force) if [ "$previous" != -force ]; then batch=$word; fi ;;
  esac
  previous=$word
  line="$line '$(printf %s "$word" | sed "s/'/'\\\\\\\\''/g")'"
done
case $previous in
  -b|-ba|-bat|-batc|-batch) batch=- ;;
esac
if [ -n "$batch" ]; then
  cat "$batch" | sed -n 's/^[[:space:]]*\\([^#[:space:]].*\\)$/tc \\1/p' >> "$log"
else
  printf '%s\\n' "$line" >> "$log"
fi
`;
}
