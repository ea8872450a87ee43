// A pass as wallets draw it: a card in its own colours, with the barcode at its usual place. The
// hosted page and the preview of a template show the same. Pure; every value of a tenant is
// inserted as text.
import { assert } from '../../../../shared/assert.ts'
import { Html, html, url } from '../../../../shared/html.ts'
import type {
  BarcodeFormat,
  PassBarcode,
  PassField,
  PassImageRole,
} from '../../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../../shared/schemas/pass-template.ts'
import type { Barcode } from '../barcodes/draw.ts'
import { fieldText } from '../model/field-text.ts'
import { ROLE_SIZES } from '../model/image-roles.ts'
import type { RenderedPass } from '../model/render.ts'
import { directionOf, type Spoken } from './pass-words.ts'

/** Addresses of the pass's pictures on the page. */
export type PictureSources = { readonly [Role in PassImageRole]?: string }

export interface PassDrawing {
  content: PassContent
  /** Language of the pass's texts: BCP 47; empty when unknown. */
  language: string
  /** Our own texts beside them. */
  ours: Spoken
  rendered: Pick<RenderedPass, 'fields' | 'barcode'>
  pictures: PictureSources
  /** The rendered barcode, drawn; null: none is shown. */
  symbol: Barcode | null
  /** The pass is no longer usable: it is shown without its colours. */
  spent: boolean
}

const BARCODE_NAMES: { readonly [Format in BarcodeFormat]: string } = {
  qr: 'QR code',
  pdf417: 'PDF417 barcode',
  aztec: 'Aztec code',
  code128: 'Code 128 barcode',
}

/** Arrow from one place to the other. */
const ARROW = new Html(
  '<svg class="arrow" viewBox="0 0 24 24" aria-hidden="true"><path d="M2 12h18M14 6l6 6-6 6" fill="none" ' +
    'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)

/** The front of the pass. */
export function passFront(drawing: PassDrawing): Html {
  const { content, language, rendered, pictures, symbol, spent } = drawing
  const { fields, barcode } = rendered
  const { style, description } = content
  return html`<article class="pass ${style}${spent ? ' spent' : ''}" lang="${language}" dir="${directionOf(language)}" aria-label="${description}">
${style === 'event_ticket' ? picture('background', pictures, 'backdrop') : null}
<div class="top">${brand(drawing)}${list('head', fields.header, language)}</div>
${middle(drawing)}
${list('row', fields.secondary, language)}
${list('row', fields.auxiliary, language)}
${style === 'boarding_pass' ? picture('footer', pictures, 'footer') : null}
${barcode === null || symbol === null ? null : barcodeFigure(barcode, symbol)}
</article>`
}

/** The back of the pass; null when it is empty. */
export function passBack({ rendered, language, ours }: PassDrawing): Html | null {
  const shown = rendered.fields.back.filter(isSaid)
  if (shown.length === 0) return null
  const rows = shown.map((field) => fieldRow(field, language))
  return html`<section class="back"><h2>${ours.words.details}</h2><dl lang="${language}" dir="${directionOf(language)}">${rows}</dl></section>`
}

const COLOR = /^#[0-9a-f]{6}$/
/** Pixels that a card of the usual width leaves for a barcode. */
const CARD_ROOM_PX = 368
const CARD_PADDING_PX = 32

/** The pass's own part of the style: its colours, and the size of its barcode in modules. */
export function passStyle({ content, symbol }: Pick<PassDrawing, 'content' | 'symbol'>): string {
  const { background, foreground, label } = content.colors
  for (const color of [background, foreground, label])
    assert(COLOR.test(color), 'colours are checked where they come from')
  const colors = '--back: ' + background + '; --ink: ' + foreground + '; --label: ' + label
  const card = symbol === null || symbol.width < CARD_ROOM_PX ? '' : widerCard(symbol)
  const own = '.pass { ' + colors + ' }' + card
  return symbol === null ? own : own + symbolStyle('.barcode', symbol)
}

/** On a screen of that width, a long barcode lies flat. */
function widerCard({ width }: Barcode): string {
  return ' :root { --card: ' + (width + CARD_PADDING_PX) + 'px }'
}

/**
 * Sizes of a symbol in modules, and the width from which it stands upright: a module has at least
 * one pixel.
 */
export function symbolStyle(selector: string, { width, height }: Barcode): string {
  return (
    selector +
    ' .symbol { --across: ' +
    width +
    '; --down: ' +
    height +
    ' }' +
    ' @container symbol (max-width: ' +
    (width - 1) +
    'px) { ' +
    selector +
    ' .symbol { --turned: 1 } }'
  )
}

function brand({ content, pictures }: PassDrawing): Html {
  const { logo_text, organization_name } = content
  const logo =
    pictures.logo === undefined
      ? null
      : html`<img class="logo" src="${url(pictures.logo)}" alt="${logo_text === null ? organization_name : ''}">`
  const words = logo_text ?? (logo === null ? organization_name : null)
  return html`<div class="brand">${logo}${words === null ? null : html`<span>${words}</span>`}</div>`
}

/** The large fields, with the picture of the style. */
function middle({ content, language, rendered: { fields }, pictures }: PassDrawing): Html {
  const { style } = content
  const primary = fields.primary.filter(isSaid)
  if (style === 'boarding_pass') {
    const [from, to] = primary.map((field) => fieldRow(field, language))
    if (from === undefined) return html``
    return html`<dl class="primary way">${from}${to === undefined ? null : html`${ARROW}${to}`}</dl>`
  }
  const takesStrip = style === 'store_card' || style === 'coupon' || style === 'event_ticket'
  if (takesStrip && pictures.strip !== undefined)
    return html`<div class="strip">${picture('strip', pictures, 'shade')}${list('primary', primary, language)}</div>`
  const beside = style === 'generic' || style === 'event_ticket' ? pictures : {}
  return html`<div class="middle">${list('primary', primary, language)}${picture('thumbnail', beside, 'thumbnail')}</div>`
}

/** A decorative picture. */
function picture(role: PassImageRole, pictures: PictureSources, name: string): Html | null {
  const source = pictures[role]
  if (source === undefined) return null
  const { width, height, fit } = ROLE_SIZES[role]
  return fit === 'filled'
    ? html`<img class="${name}" src="${url(source)}" alt="" width="${width}" height="${height}">`
    : html`<img class="${name}" src="${url(source)}" alt="">`
}

function list(name: string, fields: readonly PassField[], language: string): Html | null {
  const shown = fields.filter(isSaid).map((field) => fieldRow(field, language))
  return shown.length === 0 ? null : html`<dl class="${name}">${shown}</dl>`
}

/** Chosen: a field without a value shows no label either. */
function isSaid({ value }: PassField): boolean {
  return value !== ''
}

function fieldRow(field: PassField, language: string): Html {
  const { label, alignment } = field
  return html`<div class="${alignment}"><dt>${label}</dt><dd>${fieldText(field, language)}</dd></div>`
}

function barcodeFigure({ format, alt_text }: PassBarcode, symbol: Barcode): Html {
  return html`<figure class="well barcode ${format}">${symbolIn(symbol, BARCODE_NAMES[format])}
${alt_text === null || alt_text === '' ? null : html`<figcaption>${alt_text}</figcaption>`}</figure>`
}

/** `name` describes the symbol to people who cannot see it. */
export function symbolIn({ svg }: Barcode, name: string): Html {
  return html`<div class="symbol" role="img" aria-label="${name}">${new Html(svg)}</div>`
}
