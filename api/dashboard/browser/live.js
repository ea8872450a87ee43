// The live page. One tab of the browser holds the stream and tells the others: a browser opens six
// connections to one host, and the seventh tab would hang. A tab that nobody sees for a minute lets
// the stream go.
const SVG = 'http://www.w3.org/2000/svg'
const ROWS_MAX = 200
const SECONDS = 60
const HIDDEN_MS_MAX = 60_000
const SUMMARY_MS = 10_000
const RETRY_MS_MIN = 1000
const RETRY_MS_MAX = 10_000

const place = document.getElementById('live')
const { stream, transaction } = place.dataset
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
  else if (event === 'gap') say(numbers.format(data.skipped) + ' transactions came while nobody looked.')
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

function drawBars() {
  const now = secondOf(Date.now())
  const most = Math.max(1, ...state.buckets.map(({ approved, declined }) => approved + declined))
  const bars = state.buckets.flatMap(({ second, approved, declined }) => {
    const x = (SECONDS - 1 - (now - second)) * 10
    const [good, bad] = [(approved / most) * 78, (declined / most) * 78]
    return [bar('series-1', x, 80 - good, good), bar('series-4', x, 80 - good - bad, bad)]
  })
  at('bars').replaceChildren(...bars.filter((one) => one !== null))
  const full = state.buckets.filter(({ second }) => second < now).slice(-10)
  const sum = (of) => full.reduce((total, one) => total + of(one), 0)
  const all = sum(({ approved, declined }) => approved + declined)
  const span = Math.max(1, full.length === 0 ? 1 : now - full[0].second)
  const share = all === 0 ? '–' : Math.round((sum(({ approved }) => approved) / all) * 100) + ' %'
  const lag = state.lagMs === null ? '' : ' · behind ' + numbers.format(state.lagMs) + ' ms'
  at('rate').textContent = numbers.format(Math.round(all / span)) + '/s · approved ' + share + lag
}

function bar(name, x, y, height) {
  if (height <= 0) return null
  const made = document.createElementNS(SVG, 'rect')
  for (const [key, value] of Object.entries({ class: name, x, y, width: 8, height }))
    made.setAttribute(key, value)
  return made
}

function drawRows() {
  const only = at('filter').value
  const shown = state.rows.filter(({ status }) => only === 'all' || status === 'declined')
  at('rows').replaceChildren(...shown.flatMap(rowsOf))
  at('feed').hidden = state.rows.length === 0 && !state.paused
  at('skipped').textContent = state.paused
    ? 'Paused. ' + numbers.format(state.missed) + ' came since.'
    : state.skipped === 0
      ? ''
      : numbers.format(state.skipped) + ' were counted and not shown.'
}

function rowsOf(row) {
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency: row.currency }).resolvedOptions().maximumFractionDigits
  const amount = (row.amount_cents / 10 ** digits).toFixed(digits) + ' ' + row.currency
  const time = element('time', {}, row.created_at.slice(11, 23))
  time.dateTime = row.created_at
  const isDeclined = row.status === 'declined'
  const status = element('td', { label: 'Status' })
  const tag = element('span', {}, (isDeclined ? '✕ ' : '● ') + row.status.replaceAll('_', ' '))
  tag.className = 'tag ' + (isDeclined ? 'bad' : 'good')
  status.append(tag)
  if (row.decline_reason !== null)
    status.append(' ' + row.decline_reason.replaceAll('_', ' '))
  if (row.stand_in) status.append(' stand-in')
  const link = element('a', {}, row.merchant_name === '' ? row.id : row.merchant_name)
  link.className = 'row'
  link.href = transaction + row.id
  const cells = [
    holding('Merchant', link),
    element('td', { label: 'Amount' }, amount),
    status,
    element('td', { label: 'Card' }, '…' + row.last4),
    holding('Time', time),
  ]
  cells[1].className = 'num'
  const line = element('tr', {})
  line.append(...cells)
  if (row.skipped === 0) return [line]
  const more = element('tr', {})
  const cell = element('td', {}, '+ ' + numbers.format(row.skipped) + ' more in this moment')
  cell.colSpan = 5
  cell.className = 'soft'
  more.append(cell)
  return [line, more]
}

function element(name, data, text = '') {
  const made = document.createElement(name)
  Object.assign(made.dataset, data)
  made.textContent = text
  return made
}

function holding(label, child) {
  const cell = element('td', { label })
  cell.append(child)
  return cell
}

function say(text) {
  at('state').hidden = text === null
  at('state').textContent = text ?? ''
}

/** Reads the stream until it ends; returns false where the server refuses it for good. */
async function read(signal, onEvent) {
  const headers = state.lastId === null ? {} : { 'last-event-id': state.lastId }
  const answer = await fetch(stream, { headers, signal, redirect: 'manual' })
  if (answer.status === 429) say('Too many streams are open. This page tries again.')
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
  at('pause').setAttribute('aria-pressed', String(state.paused))
  draw()
})
document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (key !== 'p' || ctrlKey || metaKey || altKey) return
  if (document.getElementById('keys') === null || target.closest('input, textarea, select')) return
  at('pause').click()
})
at('filter').addEventListener('change', draw)

for (const name of ['now', 'pause', 'filter-label']) at(name).hidden = false
setInterval(draw, 1000)
setInterval(() => {
  at('summary').textContent = at('rate').textContent
}, SUMMARY_MS)
begin()
