// Names of time zones as limits, schedules and programs are counted under.

/**
 * The zone's name as windows are counted under it, or null. One zone must not count under two
 * names: the case is mended, and every name of UTC is UTC. Other aliases stay as written, because
 * their preferred name differs between releases.
 */
export function timeZoneName(text: string): string | null {
  // Intl also takes offsets such as +02:00, which are no zones: they know no daylight saving.
  if (!/^[A-Za-z]/.test(text)) return null
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions()
    const mended = timeZone === 'UTC' || timeZone.toLowerCase() === text.toLowerCase()
    return mended ? timeZone : text
  } catch (cause) {
    if (cause instanceof RangeError) return null
    throw cause
  }
}
