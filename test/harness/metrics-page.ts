// A strict reader of the Prometheus exposition format: it throws where a scraper would refuse or
// misread.

export interface Family {
  type: string
  help: string
  /** Values by sample name and labels, as they are written. */
  samples: Map<string, number>
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})? (\S+)$/
const LABELS =
  /^\{([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*")(,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*")*\}$/
const TYPES: ReadonlySet<string> = new Set(['counter', 'gauge', 'histogram'])

/**
 * The families of a page by name. HELP and TYPE stand once before the samples; no sample comes
 * twice.
 */
export function parseMetrics(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const families = new Map<string, Family>()
  let current: [name: string, family: Family] | null = null
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      if (!NAME.test(name) || families.has(name)) throw new Error('HELP again: ' + line)
      current = [name, { type: '', help: rest, samples: new Map() }]
      families.set(...current)
    } else if (kind === 'TYPE') {
      if (current?.[0] !== name || current[1].type !== '') throw new Error('TYPE apart: ' + line)
      if (!TYPES.has(rest)) throw new Error('no type: ' + line)
      current[1].type = rest
    } else addSample(current, line)
  }
  for (const [name, family] of families)
    if (family.type === 'histogram') checkHistogram(name, family)
  return families
}

function addSample(current: [string, Family] | null, line: string): void {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? []
  if (current === null || current[1].type === '') throw new Error('a sample of no family: ' + line)
  const [family, { type, samples }] = current
  const resultBuffer = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  if (!resultBuffer.some((ending) => name === family + ending))
    throw new Error('not its family: ' + line)
  if (labels !== '' && !LABELS.test(labels)) throw new Error('no labels: ' + line)
  if (type === 'counter' && !name.endsWith('_total')) throw new Error('no counter: ' + line)
  const number = Number(value)
  if (Number.isNaN(number) || (type !== 'gauge' && number < 0)) throw new Error('no value: ' + line)
  if (samples.has(name + labels)) throw new Error('a sample twice: ' + line)
  samples.set(name + labels, number)
}

/** Buckets ascend and never fall, the last one is +Inf, and as many as _count says. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = new Map<string, { bound: number; count: number }>()
  for (const [sample, count] of samples) {
    const [, labels = '', le = ''] = /_bucket\{(.*?),?le="([^"]*)"\}$/.exec(sample) ?? []
    if (le === '') continue
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
    const before = series.get(labels)
    if (before !== undefined && (bound <= before.bound || count < before.count))
      throw new Error('buckets out of order: ' + sample)
    series.set(labels, { bound, count })
  }
  for (const [labels, { bound, count }] of series) {
    const of = labels === '' ? '' : '{' + labels + '}'
    if (bound !== Number.POSITIVE_INFINITY) throw new Error('no +Inf: ' + name + of)
    if (samples.get(name + '_count' + of) !== count) throw new Error('no such count: ' + name + of)
    if (!samples.has(name + '_sum' + of)) throw new Error('no sum: ' + name + of)
  }
}
