// Keys of the keyboard. WCAG 2.1.4: the reader can switch them off.
const root = document.documentElement.dataset.root
const PLACES = {
  o: '/overview',
  l: '/live',
  t: '/transactions',
  c: '/cards',
  d: '/disputes',
  w: '/webhooks',
  k: '/keys',
}
let waitsForPlace = false

function rows() {
  return [...document.querySelectorAll('main a.row')]
}

function step(by) {
  const links = rows()
  const at = links.indexOf(document.activeElement)
  links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus()
}

/** Moments of every page are local until the reader chooses UTC again. */
const ZONE = 'svc-zone'
const LOCAL = { dateStyle: 'medium', timeStyle: 'medium' }
function toggleZone() {
  const isLocal = document.documentElement.toggleAttribute('data-local')
  localStorage.setItem(ZONE, isLocal ? 'local' : 'utc')
  for (const time of document.querySelectorAll('time')) {
    if (time.textContent === '') continue
    time.dataset.utc ??= time.textContent
    const local = new Intl.DateTimeFormat('en-GB', LOCAL).format(new Date(time.dateTime))
    time.textContent = isLocal ? local : time.dataset.utc
  }
}

if (localStorage.getItem(ZONE) === 'local') toggleZone()

const EFFECTS = {
  '/': () => document.querySelector('.top input[type=search]')?.focus(),
  j: () => step(1),
  k: () => step(-1),
  e: () => document.querySelector('main a[data-explain], main .tag.bad')?.closest('tr')?.querySelector('a.row')?.click(),
  r: () => location.reload(),
  u: toggleZone,
  '?': () => document.getElementById('keys')?.showModal(),
}

document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if ((event.ctrlKey || event.metaKey) && key === 'k') {
    event.preventDefault()
    return EFFECTS['/']()
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (target.closest('input, textarea, select, dialog[open]')) return
  if (waitsForPlace) {
    waitsForPlace = false
    if (PLACES[key]) location.assign(root + PLACES[key])
    return
  }
  if (key === 'g') {
    waitsForPlace = true
    return
  }
  const effect = EFFECTS[key]
  if (effect === undefined) return
  event.preventDefault()
  effect()
})
