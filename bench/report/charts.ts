// Draws the charts in findings, each as a figure: latency curves, lines, stacked bars.
import type { Curve, Series, Stages } from '../measured.ts'
import { fill, legend, plot } from './plot.ts'
import { linear, logarithmic, percentiles } from './scales.ts'
import { escaped, short, shown } from './text.ts'

const END = 100
const MEDIAN = 50

/** Curves with the same chart share axes. */
export function curveCharts(curves: readonly Curve[]): string[] {
  const charts = Map.groupBy(curves, ({ chart }) => chart)
  return [...charts].map(([chart, own]) => curveChart(chart, own))
}

function curveChart(title: string, curves: readonly Curve[]): string {
  const lines = curves.map(({ name, unit, points, max }) => {
    const tail = points.filter(([percentile]) => percentile >= MEDIAN)
    const titles = tail.map(([at, value]) => name + ' p' + at + ': ' + shown(value) + ' ' + unit)
    return {
      name: named({ name, unit, points, max }),
      points: [...tail, [END, max] as const],
      titles: [...titles, name + ' max: ' + shown(max) + ' ' + unit],
    }
  })
  const last = Math.max(MEDIAN, ...curves.flatMap(({ points }) => points.map(([at]) => at)))
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value))
  const scale = percentiles(last)
  return plot({
    title,
    lines,
    x: {
      label: 'percentile',
      scale: { ...scale, ticks: [...scale.ticks, { value: END, at: 1 }] },
      text: (value) => (value === END ? 'max' : 'p' + value),
    },
    y: { label: curves[0]?.unit ?? '', scale: logarithmic(values), text: short },
  })
}

/** With the numbers that are asked for first. */
function named({ name, unit, points, max }: Omit<Curve, 'chart'>): string {
  const told = [50, 99, 99.9].flatMap((percentile) => {
    const value = points.find(([at]) => at === percentile)?.[1]
    return value === undefined ? [] : 'p' + percentile + ' ' + shown(value)
  })
  return name + ': ' + [...told, 'max ' + shown(max)].join(', ') + ' ' + unit
}

/** Lines over a size or a number; each of its own values is a mark where they are few. */
export function seriesChart({ chart, x, y, logX, lines }: Series): string {
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(([at]) => at)))].sort(
    (a, b) => a - b,
  )
  const base = logX ? logarithmic(xs) : linear(Math.max(...xs, 0))
  const scale = logX ? { ...base, ticks: xs.map((value) => ({ value, at: base.at(value) })) } : base
  const highest = Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 0)
  return plot({
    title: chart,
    lines: lines.map(({ name, points }) => ({
      name,
      points,
      titles: points.map(([at, value]) => name + ', ' + shown(at) + ' ' + x + ': ' + shown(value)),
    })),
    x: { label: x, scale, text: short },
    y: { label: y, scale: linear(highest), text: short },
  })
}

/** A bar a row, all to one scale. */
export function stagesChart({ chart, unit, rows }: Stages): string {
  const names = [...new Set(rows.flatMap(({ parts }) => parts.map(({ name }) => name)))]
  const total = (row: Stages['rows'][number]): number =>
    row.parts.reduce((sum, { value }) => sum + value, 0)
  const longest = Math.max(...rows.map(total), Number.MIN_VALUE)
  const drawn = rows.map((row) => {
    let from = 0
    const bars = row.parts.map(({ name, value }) => {
      const [at, width] = [(from / longest) * END, (value / longest) * END]
      from += value
      const title = '<title>' + escaped(name + ': ' + shown(value) + ' ' + unit) + '</title>'
      const place = ' x="' + at.toFixed(2) + '" width="' + width.toFixed(2) + '"'
      return (
        '<rect class="' +
        fill(names.indexOf(name)) +
        '"' +
        place +
        ' y="0" height="10">' +
        title +
        '</rect>'
      )
    })
    return (
      '<div class="row"><span>' +
      escaped(row.name) +
      '</span><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none">' +
      bars.join('') +
      '</svg><b>' +
      shown(total(row)) +
      ' ' +
      escaped(unit) +
      '</b></div>'
    )
  })
  const told = names.map((name) => {
    const values = rows.map(({ parts }) => parts.find((part) => part.name === name)?.value ?? 0)
    return name + ' ' + values.map(shown).join(' / ')
  })
  return (
    '<figure class="chart"><figcaption>' +
    escaped(chart) +
    '</figcaption><div class="stages">' +
    drawn.join('') +
    '</div>' +
    legend(told) +
    '</figure>'
  )
}
