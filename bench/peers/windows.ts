// Labels of calendar windows in UTC: the day as 20261120, its week by its Monday. A month is the
// day's first six digits, a year its first four.

const DAY_MS = 86_400_000

export interface Labels {
  day: number
  week: number
}

let known: { number: number; labels: Labels } = { number: -1, labels: { day: 0, week: 0 } }

/** Those of a moment; computed once a day. */
export function calendarLabels(moment: number): Labels {
  const number = Math.floor(moment / DAY_MS)
  if (number !== known.number) {
    // Day 0 of the epoch was a Thursday.
    const monday = number - ((number + 3) % 7)
    known = { number, labels: { day: labelOf(number), week: labelOf(monday) } }
  }
  return known.labels
}

function labelOf(dayNumber: number): number {
  return Number(new Date(dayNumber * DAY_MS).toISOString().slice(0, 10).replaceAll('-', ''))
}
