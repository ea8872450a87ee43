// The page for card networks that speak ISO 8583: which fields of a message are read, and which are
// passed over.

import { html } from '../../../shared/html.ts'
import { fieldReference } from '../../../shared/wire/iso8583/field-reference.ts'
import { type Page, prose } from './layout.ts'

export const ISO_8583_PATH = '/docs/iso8583'

export function isoPage(): Page {
  const body = html`<h1>ISO 8583</h1>
<p class="lead">A card network or an acquirer may send messages of ISO 8583:1987 over a link instead of JSON. The engine answers both with the same decision.</p>
<p>A frame is two bytes of length and the message. The type is four ASCII digits, bitmaps are binary, everything else is ASCII but for 52, 55, 64 and 128, which are bytes. A link signs on (0800, field 70 <code>001</code>) before a message is decided on it.</p>
<p>${prose(
    'The engine reads some fields and passes over every other one: it reads the length and keeps nothing of the content. Field 39 of the answer is `30` where a field is missing or malformed, and 44 names the field. A PAN may come in track 2 (35) alone; the rest of the track is dropped and logged nowhere.',
  )}</p>
<h2 id="fields">Fields</h2>
<dl class="fields">${fieldReference().map(
    ({ number, name, form, use }) =>
      html`<dt id="${'field-' + number}"><code>${String(number)}</code> ${name} <span class="type">${form}</span></dt><dd><p>${use}</p></dd>`,
  )}</dl>`
  return { path: ISO_8583_PATH, title: 'ISO 8583', body }
}
