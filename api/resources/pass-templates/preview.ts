// What passes of a template look like, as it is or as it would be: the drawing of the hosted page, whole in itself.
import type { PassImageRole } from '../../../shared/schemas/pass-content.ts'
import type { PassContent } from '../../../shared/schemas/pass-template.ts'
import type { PassContentInput } from '../../../shared/schemas/pass-template-input.ts'
import type { Context } from '../../context.ts'
import { pageHeaders, pageText } from '../../pages/page.ts'
import type { PictureSources } from '../../pages/pass-drawing.ts'
import { previewPage } from '../../pages/pass-view.ts'
import { wordsFor } from '../../pages/pass-words.ts'
import { Refusal } from '../../refuse.ts'
import type { FileAnswer } from '../../route.ts'
import { findPictures } from '../pass-images/index.ts'
import { type ContentBase, changedContent, firstContent } from './content.ts'
import { renderPass } from './fits.ts'
import { imageMissing } from './images.ts'
import { spokenTo } from './languages.ts'
import { type SampleWish, samplePass } from './sample.ts'
import { findTemplate } from './store.ts'

/** Pixels per point of its pictures: sharp enough to judge, and light enough to stand in the page itself. */
const SCALE = 2

/** Of a template as a change would make it; nothing is changed. Refuses what an update with this content would be refused for. */
export async function previewTemplate(
  context: Context,
  id: string,
  { change, wish }: { change: PassContentInput; wish: SampleWish },
): Promise<FileAnswer> {
  const template = await findTemplate(context.sql, context.principal, id)
  if (template === null) throw new Refusal('resource_missing')
  return preview(context, changedContent(template.content, change), wish)
}

/** Of a template that is not made yet. Refuses what a create with this content would be refused for. */
export async function previewContent(
  context: Context,
  { base, content, wish }: { base: ContentBase; content: PassContentInput; wish: SampleWish },
): Promise<FileAnswer> {
  return preview(context, firstContent(base, content), wish)
}

async function preview(context: Context, own: PassContent, wish: SampleWish): Promise<FileAnswer> {
  const { content, language } = spokenTo(own, wish.language)
  const pictures = await sourcesOf(context, content)
  const rendered = renderPass(content, samplePass(content, wish, context.now))
  const { barcode } = rendered
  const symbol =
    barcode === null
      ? null
      : await context.walletThreads.run(context.principal.tenantId, {
          kind: 'barcode',
          format: barcode.format,
          message: barcode.message,
        })
  const ours = wordsFor(wish.language)
  const page = previewPage({ content, language, ours, rendered, pictures, symbol, spent: false })
  const { sheets } = page
  return {
    body: pageText(page),
    headers: pageHeaders({ sheets, images: 'data:', forms: "'none'" }),
  }
}

/** In the page itself: it is looked at where our addresses may not be reached. */
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
