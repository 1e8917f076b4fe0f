/** The built file that threads run, beside that of the command line. */
export const WORKER_FILE = new URL('sweep-thread.js', import.meta.url);
