// Stands in for the threads' file: point 2 takes its thread with it, point 3 never ends, all others are done.
export function runBatch(tasks) {
  if (tasks.some(({ index }) => index === 2)) {
    setImmediate(() => {
      throw new Error('out of memory');
    });
    return new Promise(() => {});
  }
  return tasks.map(({ index }) => {
    while (index === 3);
    return `{"point":${index},"result":{}}`;
  });
}
