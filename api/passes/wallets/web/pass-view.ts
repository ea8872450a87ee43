// The page of a pass: the drawn pass, its state, the links to a wallet, and its back.
import { assert } from '../../../../shared/assert.ts'
import type { EpochMs } from '../../../../shared/clock.ts'
import { Html, html, url } from '../../../../shared/html.ts'
import type { ScanResult } from '../../../../shared/schemas/pass-scan.ts'
import type { Sheet } from '../../../http/pages/assets.ts'
import { type Framed, type PageLanguage, policyOf, sheetOf } from '../../../http/pages/page.ts'
import { STYLE } from '../../../http/pages/style.ts'
import type { Barcode } from '../barcodes/draw.ts'
import {
  type PassDrawing,
  passBack,
  passFront,
  passStyle,
  symbolIn,
  symbolStyle,
} from './pass-drawing.ts'
import { PASS_STYLE } from './pass-style.ts'
import { directionOf, momentText, type PassWords, type Spoken } from './pass-words.ts'

/** Shared by all passes: only a pass's own part is a separate sheet. */
const SHEET = sheetOf(STYLE + PASS_STYLE)

export type HolderDevice = 'apple' | 'android' | 'desktop'

/**
 * Chosen: an iPad may identify itself as a Mac; a Mac takes Apple's passes as well, and gets every
 * link.
 */
export function deviceIn(userAgent: string | undefined): HolderDevice {
  if (/iPhone|iPad|iPod/.test(userAgent ?? '')) return 'apple'
  return /Android/.test(userAgent ?? '') ? 'android' : 'desktop'
}

export interface WalletLinks {
  /** Null when the wallet is not configured. */
  apple: string | null
  google: string | null
}

export interface PassPage {
  drawing: PassDrawing
  /** The result a scanner would report. */
  result: ScanResult
  /** Expiry of an expired pass. */
  expiresAt: EpochMs | null
  livemode: boolean
  device: HolderDevice
  links: WalletLinks
  /** Barcode of the page's own address, for a telephone to read; null: none is shown. */
  doorway: Barcode | null
}

/** The caller sends the frame. */
export function passPage(page: PassPage): Omit<Framed, 'policy'> {
  const { drawing, livemode, doorway } = page
  const { organization_name, description } = drawing.content
  const { language, ours } = drawing
  const style = passStyle(drawing) + (doorway === null ? '' : ' ' + symbolStyle('.hint', doorway))
  const content = html`<section class="front">
${stateOf(page)}
${passFront(drawing)}
</section>
<section class="side">
<p class="from" lang="${language}" dir="${directionOf(language)}">${organization_name}</p>
<h1 lang="${language}" dir="${directionOf(language)}">${description}</h1>
${page.result === 'valid' ? wayIn(page) : null}
${passBack(drawing)}
${livemode ? null : html`<p class="note">${ours.words.test}</p>`}
</section>`
  return {
    ...frameIn(ours.language),
    title: description + ' · ' + organization_name,
    content,
    sheets: [SHEET, sheetOf(style)],
  }
}

function frameIn(language: string): PageLanguage {
  return { language, direction: directionOf(language) }
}

/** Chosen: the page does not show the reason of a revocation, which only the issuer and we know. */
function stateOf({ result, expiresAt, drawing: { ours } }: PassPage): Html | null {
  const { words, language } = ours
  if (result === 'revoked') return state(words.revoked, words.revokedText)
  if (result === 'replayed') return state(words.replayed, words.replayedText)
  if (result !== 'expired') return null
  assert(expiresAt !== null, 'what is expired has an end')
  return state(
    words.expired,
    words.expiredText.replace('{moment}', () => momentText(expiresAt, language)),
  )
}

function state(title: string, sentence: string): Html {
  return html`<p class="state" role="status"><strong>${title}</strong>${sentence}</p>`
}

/** The button of the device's wallet; on a desktop both buttons, and a barcode for a telephone. */
function wayIn({ device, links, doorway, drawing: { ours } }: PassPage): Html | null {
  const apple = device === 'android' ? null : links.apple
  const google = device === 'apple' ? null : links.google
  const { words } = ours
  const buttons = [
    ...(apple === null ? [] : [button(apple, words.addToApple)]),
    ...(google === null ? [] : [button(google, words.addToGoogle)]),
  ]
  const add = buttons.length === 0 ? null : html`<div class="add">${buttons}</div>`
  return html`${add}${device === 'desktop' && doorway !== null ? hint(doorway, words) : null}`
}

/** Our own drawing: the wallets own their badges. */
const WALLET = new Html(
  '<svg viewBox="0 0 26 26" aria-hidden="true"><rect x="2" y="5" width="22" height="17" rx="4" fill="#fff"/>' +
    '<path d="M2 10h22v2H2z" fill="#e5484d"/><path d="M2 12h22v2H2z" fill="#ffb224"/><path d="M2 14h22v2H2z" fill="#30a46c"/>' +
    '<path d="M2 16h7a4 4 0 0 0 8 0h7v2a4 4 0 0 1-4 4H6a4 4 0 0 1-4-4z" fill="#cfd3da"/></svg>',
)

function button(href: string, words: string): Html {
  return html`<a href="${url(href)}" rel="nofollow">${WALLET}<span>${words}</span></a>`
}

/** Chosen: shown on request. With two codes at once, a scanner may read the wrong one. */
function hint(doorway: Barcode, words: PassWords): Html {
  return html`<details class="hint"><summary>${words.openOnPhone}</summary>
<div><div class="well">${symbolIn(doorway, words.pageCode)}</div>
<p>${words.pointCamera}</p></div></details>`
}

/**
 * Only the front and the back, self-contained: the page may be shown without its headers. `sheets`
 * are for the headers too.
 */
export function previewPage(drawing: PassDrawing): Framed & { sheets: readonly Sheet[] } {
  const { organization_name, description } = drawing.content
  const { language, ours } = drawing
  const content = html`<section class="front">${passFront(drawing)}</section>
<section class="side">
<p class="from" lang="${language}" dir="${directionOf(language)}">${organization_name}</p>
<h1 lang="${language}" dir="${directionOf(language)}">${description}</h1>
${passBack(drawing)}
</section>`
  const sheets = [SHEET, sheetOf(passStyle(drawing))]
  const policy = policyOf({ sheets, images: 'data:', forms: "'none'" })
  return { ...frameIn(ours.language), title: 'Preview · ' + description, content, sheets, policy }
}

/** Depends on the status of the refusal. */
export function passEnd(
  status: number,
  { language, words }: Spoken,
): PageLanguage & { title: string; content: Html } {
  const end = status === 429 ? 'busy' : status < 500 ? 'missing' : 'broken'
  const title = words[end]
  const content = html`<div class="mark" aria-hidden="true">?</div>
<h1>${title}</h1>
<p class="operation">${words[`${end}Text`]}</p>`
  return { ...frameIn(language), title, content }
}
