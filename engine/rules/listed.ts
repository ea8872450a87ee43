// Finds a value in a list. Lists are compiled at first use and live as long as their config
// records.

/** Lists up to this size are compared faster than hashed. */
const COMPARED_MAX = 16

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()
const bounds = new WeakMap<readonly string[], Uint16Array>()

/** True if the list has the value. */
export function isListed(values: readonly string[], value: string): boolean {
  if (values.length <= COMPARED_MAX) return values.includes(value)
  let set = sets.get(values)
  if (set === undefined) {
    set = new Set(values)
    sets.set(values, set)
  }
  return set.has(value)
}

/**
 * True if the list of codes (`5411`) and ranges (`3000-3299`, both ends included) has the merchant
 * category.
 */
export function isMccListed(values: readonly string[], mcc: string): boolean {
  let pairs = bounds.get(values)
  if (pairs === undefined) {
    pairs = pairsOf(values)
    bounds.set(values, pairs)
  }
  const code = Number(mcc)
  // The last range that begins at the code or before it.
  let low = 0
  let high = pairs.length / 2
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((pairs[middle * 2] as number) <= code) low = middle + 1
    else high = middle
  }
  return low > 0 && code <= (pairs[low * 2 - 1] as number)
}

/**
 * First code of each range, in order, with the highest code that this range or an earlier one
 * reaches.
 */
function pairsOf(values: readonly string[]): Uint16Array {
  const ranges: [first: number, last: number][] = []
  for (const value of values) {
    const [first, last = first] = value.split('-')
    ranges.push([Number(first), Number(last)])
  }
  ranges.sort((one, two) => one[0] - two[0])
  const pairs: number[] = []
  let reach = 0
  for (const [first, last] of ranges) {
    reach = Math.max(reach, last)
    pairs.push(first, reach)
  }
  return Uint16Array.from(pairs)
}
