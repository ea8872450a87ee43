// Search: an id leads to its page; other text is looked for by last four, email, external id and
// merchant.
import { type Html, html, url } from '../../../shared/html.ts'
import { type Call, call, page, Redirect, type Visit } from '../page.ts'
import { pathOfId } from '../parts/id.ts'
import { empty, panel, section } from '../parts/panel.ts'
import { tag } from '../parts/tag.ts'

interface Found {
  id: string
  name?: string
  last4?: string
  status?: string
  merchant?: { name: string }
  email?: string | null
}

function callsFor(text: string): { [title: string]: Call } {
  const limit = 10
  if (/^\d{4}$/.test(text))
    return { Cards: call('listCards', { last4: text, limit }), ...byExternalId(text) }
  if (text.includes('@')) return { Cardholders: call('listCardholders', { email: text, limit }) }
  return {
    Transactions: call('listCardTransactions', { merchant_name: text, limit }),
    ...byExternalId(text),
  }
}

function byExternalId(text: string): { [title: string]: Call } {
  const input = { external_id: text, limit: 10 }
  return {
    'Cards by external id': call('listCards', input),
    'Cardholders by external id': call('listCardholders', input),
    'Passes by external id': call('listPasses', input),
    'Disputes by external id': call('listDisputes', input),
    'Payments by external id': call('listPayments', input),
  }
}

export const search = page({
  path: '/search',
  title: 'Search',
  operations: ['listCards', 'listCardholders', 'listCardTransactions'],
  async view(at) {
    const text = (at.query.get('q') ?? '').trim().slice(0, 100)
    const path = pathOfId(text)
    if (path !== null) throw new Redirect(path)
    const title = text === '' ? 'Search' : 'Search: ' + text
    if (text === '')
      return {
        title,
        content: html`<h1>Search</h1><section class="panel narrow"><form class="form" action="${url(at.to('/search'))}"><label>Text <small>an id, the last four digits of a card, an email, an external id or a merchant</small><input name="q" maxlength="100" autocomplete="off" required></label><div class="actions"><button class="primary">Search</button></div></form></section>`,
      }
    const answers = await at.ask(callsFor(text))
    const parts = Object.entries(answers).flatMap(([name, outcome]) => {
      if (!outcome.ok) return panel(name, outcome, () => html``) ?? []
      const { data } = outcome.value as { data: readonly Found[] }
      return data.length === 0 ? [] : [section(name, foundList(at, data))]
    })
    const none = empty({
      sentence:
        'Nothing in ' +
        (at.environment === 'live' ? 'live' : 'the sandbox') +
        ' has this text. An id belongs to one environment.',
    })
    return { title, content: html`<h1>${title}</h1>${parts.length === 0 ? none : parts}` }
  },
})

function foundList(at: Visit, found: readonly Found[]): Html {
  return html`<ul class="bars">${found.map((one) => {
    const name =
      one.merchant?.name ?? one.name ?? (one.last4 === undefined ? one.id : '…' + one.last4)
    const path = pathOfId(one.id)
    return html`<li>${path === null ? html`<span>${name}</span>` : html`<a href="${url(at.to(path))}">${name}</a>`}<span></span><span>${one.status === undefined ? null : tag(one.status)} <small>${one.id}</small></span></li>`
  })}</ul>`
}
