// A chart with two axes as inline SVG: grid, labels and lines; the legend is below it in HTML.
import type { Scale, Tick } from './scales.ts'
import { escaped } from './text.ts'

/** As wide as a phone, so that text keeps its size there. */
const [WIDTH, HEIGHT] = [420, 250]
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 14, 24, 36]
const COLOURS = 8
const DOT = 3

export interface PlotLine {
  name: string
  points: readonly (readonly [x: number, y: number])[]
  /** The titles of the points, shown on hover. */
  titles: readonly string[]
}

export interface Plot {
  title: string
  x: Axis
  y: Axis
  lines: readonly PlotLine[]
}

export interface Axis {
  label: string
  scale: Scale
  text(value: number): string
}

/** The chart with its title and the names of its lines. */
export function plot({ title, x, y, lines }: Plot): string {
  const across = (value: number): number => LEFT + x.scale.at(value) * (WIDTH - LEFT - RIGHT)
  const up = (value: number): number =>
    HEIGHT - BOTTOM - y.scale.at(value) * (HEIGHT - TOP - BOTTOM)
  const drawn = lines.map((line, index) => drawLine(line, index, { across, up }))
  return (
    '<figure class="chart"><figcaption>' +
    escaped(title) +
    '</figcaption><svg viewBox="0 0 ' +
    WIDTH +
    ' ' +
    HEIGHT +
    '" role="img" aria-label="' +
    escaped(title) +
    '">' +
    y.scale.ticks.map((tick) => rule(up(tick.value), y.text(tick.value))).join('') +
    spread(x.scale.ticks)
      .map((tick) => mark(across(tick.value), x.text(tick.value)))
      .join('') +
    '<text class="label" x="6" y="12">' +
    escaped(y.label) +
    '</text><text class="label end" x="' +
    (WIDTH - RIGHT) +
    '" y="' +
    (HEIGHT - 4) +
    '">' +
    escaped(x.label) +
    '</text>' +
    drawn.join('') +
    '</svg>' +
    legend(lines.map(({ name }) => name)) +
    '</figure>'
  )
}

/** The legend of the colours. */
export function legend(names: readonly string[]): string {
  return (
    '<ul class="legend">' +
    names
      .map((name, index) => '<li><i class="' + fill(index) + '"></i>' + escaped(name) + '</li>')
      .join('') +
    '</ul>'
  )
}

/** Class of the fill of the n-th thing. */
export function fill(index: number): string {
  return 'f' + ((index % COLOURS) + 1)
}

interface Places {
  across(value: number): number
  up(value: number): number
}

function drawLine({ points, titles }: PlotLine, index: number, { across, up }: Places): string {
  const places = points.map(([x, y]) => across(x).toFixed(1) + ',' + up(y).toFixed(1))
  const dots = points.map(([x, y], at) => {
    const title = '<title>' + escaped(titles[at] ?? '') + '</title>'
    const place = ' cx="' + across(x).toFixed(1) + '" cy="' + up(y).toFixed(1) + '"'
    return '<circle class="' + fill(index) + '"' + place + ' r="' + DOT + '">' + title + '</circle>'
  })
  const line = '<polyline class="line s' + ((index % COLOURS) + 1) + '" points="'
  return line + places.join(' ') + '"/>' + dots.join('')
}

function rule(y: number, text: string): string {
  const place = ' y1="' + y.toFixed(1) + '" y2="' + y.toFixed(1) + '"'
  return (
    '<line class="grid" x1="' +
    LEFT +
    '" x2="' +
    (WIDTH - RIGHT) +
    '"' +
    place +
    '/><text class="tick end" x="' +
    (LEFT - 6) +
    '" y="' +
    (y + 4).toFixed(1) +
    '">' +
    escaped(text) +
    '</text>'
  )
}

function mark(x: number, text: string): string {
  const place = ' x1="' + x.toFixed(1) + '" x2="' + x.toFixed(1) + '"'
  return (
    '<line class="grid" y1="' +
    TOP +
    '" y2="' +
    (HEIGHT - BOTTOM) +
    '"' +
    place +
    '/><text class="tick middle" x="' +
    x.toFixed(1) +
    '" y="' +
    (HEIGHT - BOTTOM + 14) +
    '">' +
    escaped(text) +
    '</text>'
  )
}

/** Labels that would stand on each other lose the earlier one. */
function spread(ticks: readonly Tick[]): readonly Tick[] {
  const apart = 0.085
  return ticks.filter((tick, index) => (ticks[index + 1]?.at ?? 2) - tick.at >= apart)
}
