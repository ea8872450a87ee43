// Messages between a process of ours and the one that started it: the child reports that it serves,
// the parent asks it to stop.

/**
 * Reports to the parent process that this process serves. Without a parent that opened a channel
 * nothing happens.
 */
export function signalReady(): void {
  if (process.connected) process.send?.({ ready: true })
}

/**
 * Calls `stop` once: at SIGTERM, at SIGINT, or when the parent process that opened a channel is
 * gone, even if it went before this call, because no other process would stop this one. Further
 * signals change nothing.
 */
export function onceToldToStop(stop: () => void): void {
  let told = false
  const tell = (): void => {
    if (told) return
    told = true
    stop()
  }
  process.on('SIGTERM', tell)
  process.on('SIGINT', tell)
  const startedWithChannel = process.send !== undefined
  if (!startedWithChannel) return
  if (process.connected) process.on('disconnect', tell)
  else tell()
}
