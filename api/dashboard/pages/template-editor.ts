// The editor of a pass template, beside what a wallet would show: how does it look?
import type { PassImage, PassTemplate } from '../../../client/generated.ts'
import { type Html, html, url } from '../../../shared/html.ts'
import {
  action,
  call,
  type FileDefinition,
  type Form,
  type Outcome,
  type Problem,
  page,
  type Shown,
  type Visit,
} from '../page.ts'
import { area, field, form, hidden, select } from '../parts/form.ts'
import { section } from '../parts/panel.ts'
import { wordsOf } from '../parts/tag.ts'
import { fieldsIn, linesOf } from './field-lines.ts'
import { framedPreview } from './preview.ts'
import { languageIn, moreFields, moreIn, moreValues } from './template-more.ts'

const GROUPS = ['header', 'primary', 'secondary', 'auxiliary', 'back'] as const
const COLORS = ['background', 'foreground', 'label'] as const
const STYLES = ['generic', 'store_card', 'coupon', 'event_ticket', 'boarding_pass'] as const
const TRANSITS = ['air', 'boat', 'bus', 'train', 'generic'] as const
const CODES = ['qr', 'pdf417', 'aztec', 'code128'] as const
const ROLES = ['icon', 'logo', 'strip', 'thumbnail', 'background', 'footer'] as const
const IMAGES_SHOWN = 100

type Values = (name: string) => string

const LINE_HINT = 'one a line: key | label | value'

/** The parts of a line, for who writes one. */
const LINE_HELP = html`<p class="soft">A line of a field is <code>key | label | value</code>; <code>{{name}}</code> stands for a value of the pass, <code>\\n</code> for a line break, <code>\\|</code> for a bar. After it may stand <code>| format: number</code> (or <code>date</code>, <code>date_time</code>, <code>currency EUR</code>), <code>| align: right</code> (or <code>left</code>, <code>center</code>), and <code>| message: Now %@</code>: the holder is told so when the value changes.</p>${hidden('terms', 'true')}`

function valuesOf(of: PassTemplate): Values {
  const known = new Map<string, string>([
    ...(['name', 'organization_name', 'description', 'style'] as const).map(
      (name): [string, string] => [name, of[name]],
    ),
    ['version', String(of.version)],
    ['logo_text', of.logo_text ?? ''],
    ...COLORS.map((name): [string, string] => ['color_' + name, of.colors[name]]),
    ...GROUPS.map((name): [string, string] => ['fields_' + name, linesOf(of.fields[name])]),
    ...ROLES.map((name): [string, string] => ['image_' + name, of.images[name] ?? '']),
    ['barcode', of.barcode?.format ?? ''],
    ['barcode_message', of.barcode?.message ?? ''],
    ...moreValues(of),
  ])
  return (name) => known.get(name) ?? ''
}

/** The content of the form, as a change of `before`; null: of a new template. */
function contentIn(sent: Form, before: PassTemplate | null): object {
  const fields = GROUPS.map((name) => [
    name,
    fieldsIn(
      sent('fields_' + name),
      'fields_' + name,
      sent('terms') === 'true' ? [] : (before?.fields[name] ?? []),
    ),
  ])
  const colors = COLORS.map((name) => [name, sent('color_' + name)]).filter(
    ([, color]) => color !== '',
  )
  const images = ROLES.map((name) => {
    const id = sent('image_' + name)
    return [name, id === '' ? null : id]
  })
  const [code, message] = [sent('barcode'), sent('barcode_message')]
  const barcode = {
    ...(before?.barcode == null ? {} : { alt_text: before.barcode.alt_text }),
    ...{ format: code, ...(message === '' ? {} : { message }) },
  }
  return {
    organization_name: sent('organization_name'),
    description: sent('description'),
    logo_text: sent('logo_text') === '' ? null : sent('logo_text'),
    colors: Object.fromEntries(colors),
    fields: Object.fromEntries(fields),
    images: Object.fromEntries(images),
    barcode: code === '' ? null : barcode,
    ...moreIn(sent, before),
  }
}

function styleIn(sent: Form): object {
  const style = sent('style')
  return { style, ...(style === 'boarding_pass' ? { transit_type: sent('transit_type') } : {}) }
}

function imageChoices(value: Values, images: Outcome<{ data: readonly PassImage[] }>): Html {
  const known = images.ok ? images.value.data : []
  return html`<div class="pair">${ROLES.map((role) => {
    const chosen = value('image_' + role)
    const own = known.filter((image) => image.role === role)
    const ids = [...new Set([...own.map(({ id }) => id), ...(chosen === '' ? [] : [chosen])])]
    return select({
      ...{ name: 'image_' + role, label: 'Image: ' + role, value: chosen },
      options: [['', 'none'], ...ids.map((id) => [id, '…' + id.slice(-8)] as const)],
    })
  })}</div>`
}

function editorFields(value: Values, images: Outcome<{ data: readonly PassImage[] }>): Html {
  return html`<div class="pair wide">${field({ name: 'name', label: 'Name', hint: 'holders do not see it', value: value('name'), required: true, max: 100 })}${field({ name: 'organization_name', label: 'Organization', value: value('organization_name'), required: true, max: 100 })}</div>
${field({ name: 'description', label: 'Description', hint: 'for screen readers', value: value('description'), required: true })}
<div class="pair">${field({ name: 'logo_text', label: 'Text beside the logo', value: value('logo_text') })}${COLORS.map((name) => field({ name: 'color_' + name, label: 'Color: ' + name, placeholder: '#003366', value: value('color_' + name), max: 7 }))}</div>
${LINE_HELP}${GROUPS.map((name) => area({ name: 'fields_' + name, label: 'Fields: ' + name, ...(name === 'header' ? { hint: LINE_HINT } : {}), value: value('fields_' + name), rows: name === 'back' ? 3 : 2 }))}
<div class="pair">${select({ name: 'barcode', label: 'Barcode', value: value('barcode'), options: [['', 'none'], ...CODES.map((one) => [one, one] as const)] })}${field({ name: 'barcode_message', label: 'Its content', hint: '{{payload}} is what our scans verify', value: value('barcode_message'), max: 3000 })}</div>
${imageChoices(value, images)}${moreFields(value)}`
}

interface Editor {
  title: string
  /** Path of the form. */
  path: string
  value: Values
  problem: Problem | null
  /** Fields of a new template, or the version of an old one. */
  more: Html
  /** Path of the preview of the form as it is opened. */
  opened: string
}

async function editor(at: Visit, of: Editor): Promise<Shown> {
  const { title, path, value, problem, more, opened } = of
  const { images } = await at.ask({ images: call('listPassImages', { limit: IMAGES_SHOWN }) })
  const preview = html`<button class="plain" formaction="${url(at.to(path + '/preview'))}" formtarget="preview" formnovalidate data-again>Preview</button>`
  const frame = html`<iframe name="preview" title="Preview of the pass" sandbox src="${url(at.to(opened))}"></iframe>`
  return {
    title,
    status: problem === null ? 200 : 422,
    content: html`<header class="head"><h1>${title}</h1><span class="actions"><a class="button plain" href="${url(at.to('/images'))}">Images</a></span></header>
<div class="grid wide"><section class="panel">${form({ action: at.to(path), fields: html`${more}${editorFields(value, images)}`, button: { label: 'Save' }, problem, beside: preview })}</section>
<div class="stay">${section('In a wallet, not saved yet', html`<p class="soft">Preview draws here what the form says.</p>${frame}`)}</div></div>`,
  }
}

function newForm(at: Visit, value: Values, problem: Problem | null): Promise<Shown> {
  const more = html`<div class="pair">${select({ name: 'style', label: 'Style', hint: 'it never changes', value: value('style'), options: STYLES.map((one) => [one, wordsOf(one)] as const) })}${select({ name: 'transit_type', label: 'Transport', hint: 'of a boarding pass', value: value('transit_type'), options: TRANSITS.map((one) => [one, one] as const) })}</div>`
  return editor(at, {
    title: 'Draw a template',
    path: '/templates/new',
    value,
    problem,
    more,
    opened: '/templates/new/preview',
  })
}

const idOf = (at: Visit): string => at.params['id'] ?? ''

function editForm(at: Visit, value: Values, problem: Problem | null): Promise<Shown> {
  const path = '/templates/' + idOf(at) + '/edit'
  const opened = '/templates/' + idOf(at) + '/preview'
  const more = html`${hidden('version', value('version'))}<p class="soft">Saving reaches every pass of the template.</p>`
  return editor(at, { title: 'Change the template', path, value, problem, more, opened })
}

const ORGANIZATION_MAX = 100

/** The first look of a new template, in the name of the tenant. */
function firstLook({ member }: Visit): Values {
  const organization = member.tenantName.slice(0, ORGANIZATION_MAX)
  const own = {
    organization_name: organization,
    description: 'Membership card of ' + organization,
  }
  return (name) => ({ ...FIRST, ...own })[name] ?? ''
}

const FIRST: { readonly [name: string]: string } = {
  ...{ style: 'store_card', color_background: '#003366', color_foreground: '#ffffff' },
  ...{ color_label: '#ccddee', barcode: 'qr', barcode_message: '{{payload}}' },
  ...{ fields_primary: 'points | Points | {{points}}' },
  fields_secondary: 'holder | Member | {{holder_name}}',
}

export const newTemplate = page({
  path: '/templates/new',
  title: 'Draw a template',
  operations: ['createPassTemplate', 'listPassImages'],
  view: (at) => newForm(at, firstLook(at), null),
})

export const editTemplate = page({
  path: '/templates/:id/edit',
  title: 'Change the template',
  operations: ['updatePassTemplate', 'getPassTemplate', 'listPassImages'],
  view: async (at) =>
    editForm(at, valuesOf(await at.need(call('getPassTemplate', { id: idOf(at) }))), null),
})

export const templateMoves = [
  action({
    path: '/templates/new',
    label: 'Draw a template.',
    operation: 'createPassTemplate',
    done: 'The template is saved.',
    input: (sent) => ({ name: sent('name'), ...styleIn(sent), ...contentIn(sent, null) }) as never,
    next: ({ id }) => '/templates/' + id,
    again: (at, sent, problem) => newForm(at, sent, problem),
  }),
  action({
    path: '/templates/:id/edit',
    label: 'Change the template and its passes.',
    operation: 'updatePassTemplate',
    done: 'The template is saved, and goes to its passes.',
    async input(sent, at) {
      const before = await at.need(call('getPassTemplate', { id: idOf(at) }))
      const version = { if_version: Number(sent('version')) }
      const content = contentIn(sent, before)
      return { id: idOf(at), name: sent('name'), ...version, ...content } as never
    },
    again: (at, sent, problem) => editForm(at, sent, problem),
  }),
]

function previewOfNew(at: Visit, sent: Form) {
  return framedPreview(at, async () => {
    const content = { ...contentIn(sent, null), ...languageIn(sent) }
    return call('previewPassTemplates', { ...styleIn(sent), ...content } as never)
  })
}

/** Previews of the form: the API draws its content, and saves nothing. */
export const templatePreviews: readonly FileDefinition[] = [
  {
    method: 'GET',
    path: '/templates/new/preview',
    view: (at) => previewOfNew(at, firstLook(at)),
  },
  { method: 'POST', path: '/templates/new/preview', view: previewOfNew },
  {
    method: 'POST',
    path: '/templates/:id/edit/preview',
    view: (at, sent) =>
      framedPreview(at, async () => {
        const before = await at.need(call('getPassTemplate', { id: idOf(at) }))
        const content = { ...contentIn(sent, before), ...languageIn(sent) }
        return call('previewPassTemplate', { id: idOf(at), ...content } as never)
      }),
  },
]
