// The exposition format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/

export const METRICS_TYPE = 'text/plain; version=0.0.4'

export interface MetricFamily {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  /** One sentence without a line break. */
  help: string
}

/** The lines of a family: its HELP and TYPE, then its samples as they are. */
export function familyLines(
  { name, type, help }: MetricFamily,
  samples: readonly string[],
): string[] {
  return ['# HELP ' + name + ' ' + help, '# TYPE ' + name + ' ' + type, ...samples]
}

/** The lines of a family with one sample and no label. */
export function valueLines(family: MetricFamily, value: number): string[] {
  return familyLines(family, [family.name + ' ' + value])
}

/** The lines of a counter with one label, `counts` by its value. The values need no escaping. */
export function countLines(
  family: Omit<MetricFamily, 'type'> & { label: string },
  counts: Iterable<readonly [string, number]>,
): string[] {
  const { name, help, label } = family
  const samples = Array.from(
    counts,
    ([value, count]) => name + '{' + label + '="' + value + '"} ' + count,
  )
  return familyLines({ name, type: 'counter', help }, samples)
}
