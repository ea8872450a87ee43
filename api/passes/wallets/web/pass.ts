// The page of a pass, and the pictures on passes: public to every person with the address. The id
// in it is the credential: it encodes the pass's time of issue and 62 random bits, so that no guess
// finds one; a request for an unknown id counts against its sender. The page needs no script.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Owner } from '../../../context.ts'
import { refused } from '../../../http/gates/authenticate.ts'
import { limitByAddress } from '../../../http/gates/limit-by-address.ts'
import type { GateParts } from '../../../http/gates/parts.ts'
import { pageHeaders, pageText, sendPage } from '../../../http/pages/page.ts'
import { refusalAnswer } from '../../../http/refusal.ts'
import { findPublicPicture } from '../../images/index.ts'
import { type OwnedPass, PASS_PAGE_PATH, passBySerial } from '../../passes/index.ts'
import { resultOf } from '../../scans/index.ts'
import { renderPass } from '../../templates/index.ts'
import type { Barcode, BarcodeDrawing } from '../barcodes/draw.ts'
import { turnOf } from '../fair-queue.ts'
import { openKept } from '../kept.ts'
import { spokenTo } from '../model/languages.ts'
import type { WalletServices } from '../services.ts'
import type { PictureSources } from './pass-drawing.ts'
import { deviceIn, type PassPage, passEnd, passPage } from './pass-view.ts'
import { wordsFor } from './pass-words.ts'

const ID = /^[0-9A-Za-z_]{1,64}$/
const METHOD_NOT_ALLOWED = 405
const PICTURE_FILE = /^([123])\.png$/

/**
 * Chosen: some thousand drawings. A drawing takes longer than all the rest of a page, and a holder
 * opens the same page again.
 */
const DRAWINGS_BYTES_MAX = 16 * 1024 * 1024

type ShownPass = NonNullable<Awaited<ReturnType<typeof passBySerial>>>

type Draw = (owner: Owner, drawing: BarcodeDrawing) => Promise<Barcode>

/** A separate scope of the server: no other scope answers errors like this. */
export function registerPassPages(
  server: FastifyInstance,
  services: WalletServices,
  parts: GateParts,
): void {
  const kept = openKept<Barcode>(DRAWINGS_BYTES_MAX, ({ svg }) => svg.length)
  const draw: Draw = (owner, { format, message }) =>
    kept.get(format + ' ' + message, '', () =>
      services.walletThreads.run(turnOf(owner), { kind: 'barcode', format, message }),
    )
  server.register(
    async (pages) => {
      pages.setErrorHandler((error, request, reply) =>
        answerPassError(services, error, [request, reply]),
      )
      pages.addHook('onRequest', async (request) => limitByAddress(parts, request))
      pages.setNotFoundHandler((request) => {
        throw refused(parts, request, 'resource_missing')
      })
      pages.get('/:id', async (request, reply) => {
        const { id } = request.params as { id: string }
        const pass = ID.test(id) ? await passBySerial(services.sql, id) : null
        if (pass === null) throw refused(parts, request, 'resource_missing')
        const page = passPage(await pageOf({ services, draw }, request, pass))
        return reply
          .headers(BY_LANGUAGE)
          .headers(pageHeaders({ sheets: page.sheets, images: "'self' data:", forms: "'none'" }))
          .send(pageText({ ...page, policy: null }))
      })
      pages.get('/images/:id/:file', async (request, reply) => {
        const { id, file } = request.params as { id: string; file: string }
        const [, scale] = PICTURE_FILE.exec(file) ?? []
        const png =
          ID.test(id) && scale !== undefined
            ? await findPublicPicture(services.sql, id, Number(scale))
            : null
        if (png === null) throw refused(parts, request, 'resource_missing')
        return reply.headers(PICTURE_HEADERS).send(png)
      })
    },
    { prefix: PASS_PAGE_PATH.slice(0, -1) },
  )
}

/** Our texts and the tenant's are in the reader's language. */
const BY_LANGUAGE = { Vary: 'Accept-Language' }

/** A picture never changes under its id. */
const PICTURE_HEADERS = {
  'Content-Type': 'image/png',
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
}

/** Returns true when a browser requested a pass, with any text in place of its id. */
export function isPassAddress(url: string): boolean {
  return url.startsWith(PASS_PAGE_PATH)
}

/**
 * Answers with a page that says why there is no pass. Throws when the request was not for a page.
 */
export function answerPassError(
  services: Pick<WalletServices, 'docsUrl'>,
  error: unknown,
  [request, reply]: [FastifyRequest, FastifyReply],
): FastifyReply {
  const { status, headers, unexpected } = refusalAnswer(error, {
    requestId: request.id,
    docsUrl: services.docsUrl,
  })
  if (status === METHOD_NOT_ALLOWED) throw error
  if (unexpected) request.log.error({ request_id: request.id, err: error }, 'page failed')
  const ours = wordsFor(request.headers['accept-language'])
  return sendPage(reply.headers(headers).headers(BY_LANGUAGE), { ...passEnd(status, ours), status })
}

async function pageOf(
  { services, draw }: { services: WalletServices; draw: Draw },
  { admittedAtMs, headers }: FastifyRequest,
  pass: ShownPass,
): Promise<PassPage> {
  const { content, language } = spokenTo(pass.content, headers['accept-language'])
  const rendered = renderPass(content, pass)
  const { expiresAt, barcode } = rendered
  const facts = { ...pass, expiresAt, oneTime: content.one_time }
  const result = resultOf(facts, admittedAtMs + pass.clockOffsetMs)
  const device = deviceIn(headers['user-agent'])
  const valid = result === 'valid'
  // Chosen: a pass that no scanner accepts shows no barcode.
  const symbol = valid && barcode !== null ? await draw(pass, barcode) : null
  const own = { format: 'qr', message: services.publicUrl + PASS_PAGE_PATH + pass.id } as const
  return {
    drawing: {
      content,
      language,
      ours: wordsFor(headers['accept-language']),
      rendered,
      pictures: picturesOf(pass),
      symbol,
      spent: !valid,
    },
    result,
    expiresAt,
    livemode: pass.environment === 'live',
    device,
    links: linksOf(services, pass),
    doorway: valid && device === 'desktop' ? await draw(pass, own) : null,
  }
}

/** Relative to the page: a proxy before us may have moved it below another path. */
function picturesOf({ content }: ShownPass): PictureSources {
  const named = Object.entries(content.images).flatMap(([role, id]) =>
    id === null ? [] : [[role, './images/' + id + '/3.png'] as const],
  )
  return Object.fromEntries(named)
}

function linksOf({ apple, google }: WalletServices, { id }: OwnedPass): PassPage['links'] {
  return {
    apple: apple === null ? null : '../wallets/apple/passes/' + id,
    google: google === null ? null : '../wallets/google/passes/' + id,
  }
}
