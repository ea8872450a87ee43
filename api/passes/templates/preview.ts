// Previews passes of a template, current or changed: the self-contained drawing of the hosted page.
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { PassContentInput } from '../../../shared/schemas/pass-template-input.ts'
import type { Context } from '../../context.ts'
import { pageHeaders, pageText } from '../../http/pages/page.ts'
import { Refusal } from '../../http/refusal.ts'
import type { FileAnswer } from '../../http/route.ts'
import { findPictures } from '../images/index.ts'
import { spokenTo } from '../wallets/model/languages.ts'
import type { ThreadsPort } from '../wallets/services.ts'
import type { PictureSources } from '../wallets/web/pass-drawing.ts'
import { previewPage } from '../wallets/web/pass-view.ts'
import { wordsFor } from '../wallets/web/pass-words.ts'
import { type ContentBase, changedContent, firstContent } from './content.ts'
import { renderPass } from './fits.ts'
import { imageMissing } from './images.ts'
import { type SampleInput, samplePass } from './sample.ts'
import { findTemplate } from './store.ts'

/**
 * Pixels per point of the preview's pictures: sharp enough to judge, and small enough to embed in
 * the page.
 */
const SCALE = 2

/**
 * Previews a template with a change; the call changes nothing. Refuses content that an update would
 * refuse.
 */
export async function previewTemplate(
  context: Context,
  id: string,
  { change, requested }: { change: PassContentInput; requested: SampleInput },
  port: ThreadsPort,
): Promise<FileAnswer> {
  const template = await findTemplate(context.sql, context.principal, id)
  if (template === null) throw new Refusal('resource_missing')
  const content = changedContent(template.content, change)
  return preview(context, { own: content, requested }, port)
}

/** Previews a template before its creation. Refuses content that a create would refuse. */
export async function previewContent(
  context: Context,
  {
    base,
    content,
    requested,
  }: { base: ContentBase; content: PassContentInput; requested: SampleInput },
  port: ThreadsPort,
): Promise<FileAnswer> {
  return preview(context, { own: firstContent(base, content), requested }, port)
}

async function preview(
  context: Context,
  { own, requested }: { own: PassContent; requested: SampleInput },
  { walletThreads }: ThreadsPort,
): Promise<FileAnswer> {
  const { content, language } = spokenTo(own, requested.language)
  const pictures = await sourcesOf(context, content)
  const rendered = renderPass(content, samplePass(content, requested, context.now))
  const { barcode } = rendered
  const symbol =
    barcode === null
      ? null
      : await walletThreads.run(context.principal.tenantId, {
          kind: 'barcode',
          format: barcode.format,
          message: barcode.message,
        })
  const ours = wordsFor(requested.language)
  const page = previewPage({ content, language, ours, rendered, pictures, symbol, spent: false })
  const { sheets } = page
  return {
    body: pageText(page),
    headers: pageHeaders({ sheets, images: 'data:', forms: "'none'" }),
  }
}

/** The page embeds its pictures: a viewer may be unable to reach the installation's addresses. */
async function sourcesOf(
  { sql, principal }: Context,
  { images }: PassContent,
): Promise<PictureSources> {
  const wanted = Object.entries(images) as [PassImageRole, string | null][]
  const named = wanted.filter((entry): entry is [PassImageRole, string] => entry[1] !== null)
  const rows = await findPictures(
    sql,
    principal,
    named.map(([, id]) => id),
  )
  const sources = named.map(([role]) => {
    const row = rows.find((one) => one.role === role && one.scale === SCALE)
    if (row === undefined) throw imageMissing(role)
    return [role, 'data:image/png;base64,' + row.png.toString('base64')] as const
  })
  return Object.fromEntries(sources)
}
