// The lines of the live page's table: each is made once, and shows one transaction after another.
const { transaction } = document.getElementById('live').dataset
const numbers = new Intl.NumberFormat('en')

/** An empty line of the table. */
export function newLine() {
  const link = element('a', {})
  link.className = 'row'
  const tag = element('span', {})
  const reason = document.createTextNode('')
  const time = element('time', {})
  const amount = element('td', { label: 'Amount' })
  amount.className = 'num'
  const card = element('td', { label: 'Card' })
  const line = element('tr', {})
  line.append(
    holding('Merchant', link),
    amount,
    holding('Status', tag, reason),
    card,
    holding('Time', time),
  )
  return { line, link, amount, tag, reason, card, time, row: null }
}

/** Shows a transaction, or how many more came in its moment. */
export function fill(made, row) {
  if (made.row === row) return
  made.row = row
  const { link, amount, tag, reason, card, time } = made
  if (row.more !== undefined) {
    link.removeAttribute('href')
    write(link, '+ ' + numbers.format(row.more) + ' more in this moment')
    delete time.dataset.utc
    for (const each of [amount, tag, reason, card, time]) write(each, '')
    return tag.removeAttribute('class')
  }
  const isDeclined = row.status === 'declined'
  link.href = transaction + row.id
  write(link, row.merchant_name === '' ? row.id : row.merchant_name)
  write(amount, amountText(row))
  write(tag, (isDeclined ? '✕ ' : '● ') + row.status.replaceAll('_', ' '))
  tag.className = 'tag ' + (isDeclined ? 'bad' : 'good')
  const declined = row.decline_reason === null ? '' : ' ' + row.decline_reason.replaceAll('_', ' ')
  write(reason, declined + (row.stand_in ? ' stand-in' : ''))
  write(card, '…' + row.last4)
  writeTime(time, row.created_at)
}

const LOCAL = new Intl.DateTimeFormat('en-GB', {
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
})

/** UTC, or local time where the reader chose it: the key of both finds the text of UTC. */
function writeTime(time, iso) {
  const utc = iso.slice(11, 23)
  time.dateTime = iso
  time.dataset.utc = utc
  write(time, 'local' in document.documentElement.dataset ? LOCAL.format(new Date(iso)) : utc)
}

/** Writes a text into its node: an element is not built anew, and an equal text is left alone. */
export function write(node, text) {
  const inner = node.nodeType === Node.TEXT_NODE ? node : (node.firstChild ?? node.appendChild(document.createTextNode('')))
  if (inner.data !== text) inner.data = text
}

/** Formats by currency: making one takes longer than writing a row. */
const formats = new Map()

function amountText({ amount_cents: cents, currency }) {
  let known = formats.get(currency)
  if (known === undefined) {
    const { maximumFractionDigits: digits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    const format = new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    known = { format, unit: 10 ** digits }
    formats.set(currency, known)
  }
  return known.format.format(cents / known.unit) + ' ' + currency
}

function element(name, data) {
  const made = document.createElement(name)
  Object.assign(made.dataset, data)
  return made
}

function holding(label, ...children) {
  const cell = element('td', { label })
  cell.append(...children)
  return cell
}
