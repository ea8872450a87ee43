// Memory for what lasts as long as the engine runs, outside the heap. Nobody shares it: V8 counts ordinary memory outside towards
// the heap and looks through all of that for every 64 MB that have come, which is what 150,000 answers leave behind, and
// holds answers up for tens of milliseconds; what threads may share it counts nowhere. It is given back like any other,
// whenever the heap is looked through for reasons of its own.

/** So many bytes, all zeros. */
export function lastingMemory(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes)
}
