// The live page. One tab of the browser holds the stream and tells the others: a browser opens six
// connections to one host, and the seventh tab would hang. A tab that nobody sees for a minute lets
// the stream go.
import { fill, newLine, write } from './live-lines.js'

const SVG = 'http://www.w3.org/2000/svg'
const ROWS_MAX = 200
const SECONDS = 60
const HIDDEN_MS_MAX = 60_000
const SUMMARY_MS = 10_000
const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 10_000
/** Lines that a table has before its reader scrolls, and those that each scrolling adds. */
const LINES_STEP = 40
const SCROLL_REST = 400
const CAN_HOVER = matchMedia('(hover: hover)')

const place = document.getElementById('live')
const { stream } = place.dataset
const at = (name) => document.getElementById('live-' + name)
const channel = new BroadcastChannel('svc-live ' + stream)
const numbers = new Intl.NumberFormat('en')

/** Transactions of the last minute by second; `rows` are the newest first. */
const state = { buckets: [], rows: [], lastId: null, lagMs: null, paused: false, missed: 0, skipped: 0 }
let isDue = false

function secondOf(ms) {
  return Math.floor(ms / 1000)
}

function bucketNow() {
  const second = secondOf(Date.now())
  const last = state.buckets.at(-1)
  if (last?.second === second) return last
  const made = { second, approved: 0, declined: 0 }
  state.buckets.push(made)
  while (state.buckets[0].second <= second - SECONDS) state.buckets.shift()
  return made
}

function take({ event, id, data }) {
  if (id !== '') state.lastId = id
  if (event === 'transactions') takeTick(data)
  else if (event === 'gap') {
    state.skipped += data.skipped
    say(numbers.format(data.skipped) + ' transactions came while nobody looked.')
  }
  else if (event === 'state') say(data.state === 'waiting' ? 'The database does not answer. The feed goes on by itself.' : null)
  else if (event === 'begin') {
    say(null)
    place.dataset.feed = 'open'
  }
}

function takeTick({ counts, transactions, skipped, lag_ms: lagMs }) {
  const bucket = bucketNow()
  bucket.approved += counts.approved
  bucket.declined += counts.declined
  state.lagMs = lagMs
  if (state.paused) {
    state.missed += counts.transactions
  } else {
    state.skipped += skipped
    state.rows.unshift(...transactions.map((row) => ({ ...row, skipped: 0 })))
    if (skipped > 0 && transactions.length > 0) state.rows[transactions.length - 1].skipped = skipped
    state.rows.length = Math.min(state.rows.length, ROWS_MAX)
  }
  draw()
}

/** One drawing per frame, however many events came. */
function draw() {
  if (isDue) return
  isDue = true
  requestAnimationFrame(() => {
    isDue = false
    drawBars()
    drawRows()
  })
}

/** Two bars for each second, made once: later drawings change their heights. */
const bars = Array.from({ length: SECONDS }, (_, place) => ({
  good: bar('series-1', place * 10),
  bad: bar('series-4', place * 10),
}))
at('bars').replaceChildren(...bars.flatMap(({ good, bad }) => [good, bad]))

function bar(name, x) {
  const made = document.createElementNS(SVG, 'rect')
  for (const [key, value] of Object.entries({ class: name, x, y: 80, width: 8, height: 0 }))
    made.setAttribute(key, value)
  return made
}

/** Changes nothing where the bar has this height already. */
function raise(rect, y, height) {
  const text = y + ' ' + height
  if (rect.drawn === text) return
  rect.drawn = text
  rect.setAttribute('y', y)
  rect.setAttribute('height', height)
}

function drawBars() {
  const now = secondOf(Date.now())
  const most = Math.max(1, ...state.buckets.map(({ approved, declined }) => approved + declined))
  write(at('most'), numbers.format(most) + '/s')
  const bySecond = new Map(state.buckets.map((bucket) => [bucket.second, bucket]))
  for (const [place, { good, bad }] of bars.entries()) {
    const { approved = 0, declined = 0 } = bySecond.get(now - SECONDS + 1 + place) ?? {}
    const [low, high] = [(approved / most) * 78, (declined / most) * 78]
    raise(good, 80 - low, low)
    raise(bad, 80 - low - high, high)
  }
  const full = state.buckets.filter(({ second }) => second < now).slice(-10)
  const sum = (of) => full.reduce((total, one) => total + of(one), 0)
  const all = sum(({ approved, declined }) => approved + declined)
  if (state.buckets.length === 0) return
  const span = Math.max(1, full.length === 0 ? 1 : now - full[0].second)
  const share = all === 0 ? '–' : Math.round((sum(({ approved }) => approved) / all) * 100) + ' %'
  const lag = state.lagMs === null ? '' : ' · behind ' + numbers.format(state.lagMs) + ' ms'
  write(at('rate'), numbers.format(Math.round(all / span)) + '/s · approved ' + share + lag)
}

/** Lines of the table in their order. They are written anew and never move. */
const lines = []
/** Lines that exist as far as the reader has scrolled. */
let linesMax = LINES_STEP

/** The rows hold still under the pointer and the focus: a row that changes is pressed by mistake. */
function isHeld() {
  return at('rows').matches(CAN_HOVER.matches ? ':hover, :focus-within' : ':focus-within')
}

function drawRows() {
  write(at('skipped'), countsText())
  if (isHeld()) return
  const only = at('filter').value
  const shown = state.rows
    .filter(({ status }) => only === 'all' || status === 'declined')
    .flatMap((row) => (row.skipped === 0 ? [row] : [row, { more: row.skipped }]))
    .slice(0, linesMax)
  while (lines.length > shown.length) lines.pop().line.remove()
  while (lines.length < shown.length) {
    const made = newLine()
    lines.push(made)
    at('rows').append(made.line)
  }
  for (const [place, row] of shown.entries()) fill(lines[place], row)
}

function countsText() {
  if (state.paused) return 'Paused. ' + numbers.format(state.missed) + ' came since.'
  if (state.skipped > 0) return numbers.format(state.skipped) + ' were counted and not shown.'
  if (state.rows.length === 0) return 'None came since this page was opened.'
  return at('filter').value === 'all' ? 'Every transaction is shown.' : 'Approved ones are not shown.'
}

/** Says how the feed is; null: it runs. */
function say(text) {
  write(at('state'), text ?? 'The feed runs: a transaction shows up as soon as it is stored.')
  at('state').classList.toggle('warn', text !== null)
}

/** Reads the stream until it ends; returns false where the server refuses it for good. */
async function read(signal, onEvent) {
  const headers = state.lastId === null ? {} : { 'last-event-id': state.lastId }
  const answer = await fetch(stream, { headers, signal, redirect: 'manual' })
  if (answer.status === 429) say('Too many streams are open. This page tries again.')
  else if (answer.status >= 500) say('The feed has no answer. This page tries again.')
  else if (!answer.ok || answer.type === 'opaqueredirect') {
    say('The feed is closed to you. Load the page again.')
    return false
  }
  if (!answer.ok) return true
  const decoder = new TextDecoder()
  let rest = ''
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) return true
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop()
    for (const block of blocks) if (!block.startsWith(':')) onEvent(eventOf(block))
  }
}

function eventOf(block) {
  const told = { event: '', id: '', data: null }
  for (const line of block.split('\n')) {
    const [name, text] = [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]
    told[name] = name === 'data' ? JSON.parse(text) : text
  }
  return told
}

/** Holds the stream while this tab has the lock. */
async function hold(signal) {
  let waitMs = RETRY_MS_MIN
  while (!signal.aborted) {
    try {
      const goesOn = await read(signal, (told) => {
        waitMs = RETRY_MS_MIN
        take(told)
        channel.postMessage(told)
      })
      if (!goesOn) return
    } catch {
      if (!signal.aborted) say('The connection is gone. This page tries again.')
    }
    await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : waitMs))
    waitMs = Math.min(waitMs * 2, RETRY_MS_MAX)
  }
}

let held = null
function begin() {
  if (held !== null) return
  const mine = new AbortController()
  held = mine
  const { signal } = mine
  if (navigator.locks === undefined) return void hold(signal)
  navigator.locks.request('svc-live ' + stream, { signal }, () => hold(signal)).catch(() => {})
}

function letGo() {
  held?.abort()
  held = null
}

channel.addEventListener('message', ({ data }) => take(data))

let hiddenTimer = null
document.addEventListener('visibilitychange', () => {
  clearTimeout(hiddenTimer)
  if (document.visibilityState === 'visible') begin()
  else hiddenTimer = setTimeout(letGo, HIDDEN_MS_MAX)
})
addEventListener('pagehide', letGo)
addEventListener('pageshow', begin)

at('pause').addEventListener('click', () => {
  state.paused = !state.paused
  state.missed = 0
  at('pause').textContent = state.paused ? 'Go on' : 'Pause'
  draw()
})
document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (key !== 'p' || ctrlKey || metaKey || altKey) return
  if (document.getElementById('keys') === null || target.closest('input, textarea, select')) return
  at('pause').click()
})
at('filter').addEventListener('change', draw)
at('rows').addEventListener('pointerleave', draw)
const region = at('scroll')
region.addEventListener(
  'scroll',
  () => {
    if (linesMax >= ROWS_MAX || lines.length < linesMax) return
    if (region.scrollTop + region.clientHeight < region.scrollHeight - SCROLL_REST) return
    linesMax += LINES_STEP
    draw()
  },
  { passive: true },
)

setInterval(draw, 1000)
setInterval(() => {
  at('summary').textContent = at('rate').textContent
}, SUMMARY_MS)
begin()
