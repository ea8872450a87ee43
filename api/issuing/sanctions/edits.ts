// The number of single letters to replace, drop, add or swap with their neighbour to turn one text
// into another. Pure; the count stops above `most`.

/** At most `most`, else `most + 1`. */
export function edits(one: string, other: string, most: number): number {
  if (one === other) return 0
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1]
      let count = Math.min(
        (above[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (above[column - 1] as number) + (same ? 0 : 1),
      )
      const swapped =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1]
      if (swapped) count = Math.min(count, (before[column - 2] as number) + 1)
      current.push(count)
      least = Math.min(least, count)
    }
    if (least > most) return most + 1
    before = above
    above = current
  }
  return Math.min(above[other.length] as number, most + 1)
}
