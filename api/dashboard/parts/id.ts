// Ids: whole in the title, short in a table, and a link where the resource has a page.
import { type Html, html, url } from '../../../shared/html.ts'
import type { Visit } from '../page.ts'

/** Page of a resource by the prefix of its id. */
const PAGES: { readonly [prefix: string]: string } = {
  ...{ txn: '/transactions/', card: '/cards/', ch: '/cardholders/', prog: '/programs/' },
  ...{
    ctl: '/controls/',
    dsp: '/disputes/',
    evt: '/events/',
    we: '/webhooks/',
    dlv: '/deliveries/',
  },
  ...{
    key: '/keys/',
    pass: '/passes/',
    ptpl: '/templates/',
    pacc: '/payment_accounts/',
    pay: '/payments/',
    stb: '/settlements/',
    sacc: '/settlement_accounts/',
  },
  ...{ alert: '/alerts/', ogr: '/connections/', user: '/people/', ivt: '/invitations/' },
}

/** The path of the page that an id leads to; null where no page shows such a resource. */
export function pathOfId(id: string): string | null {
  const [, prefix = ''] = /^([a-z]+)_[0-9a-z]{10,}$/.exec(id) ?? []
  const page = PAGES[prefix]
  return page === undefined ? null : page + id
}

/** An id of ours, or the name that it stands for, as a link where it leads to a page. */
export function idLink(at: Pick<Visit, 'to'>, id: string | null, name = ''): Html {
  if (id === null) return html`<span class="soft">–</span>`
  const path = pathOfId(id)
  const text =
    name === ''
      ? html`<code class="id" title="${id}">${shortId(id)}</code>`
      : html`<span class="id" title="${id}">${name}</span>`
  return path === null ? text : html`<a href="${url(at.to(path))}">${text}</a>`
}

/** Prefix and the last characters: these differ between neighbours. */
function shortId(id: string): string {
  const [, prefix = '', rest = ''] = /^([a-z]+_)(\w{12,})$/.exec(id) ?? []
  return prefix === '' ? id : prefix + '…' + rest.slice(-8)
}
