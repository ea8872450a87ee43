// The endpoints of pass templates. Spec 2.4.
import { Type } from '../../../shared/schema-builders.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { PASS_TEMPLATE_STATUSES, PassTemplate } from '../../../shared/schemas/pass-template.ts'
import {
  PASS_CONTENT_CHANGE,
  PASS_CONTENT_INPUT,
  PASS_TEMPLATE_CHANGE,
  PASS_TEMPLATE_INPUT,
} from '../../../shared/schemas/pass-template-input.ts'
import {
  ExternalId,
  TENANT_FIELDS_CHANGE,
  TENANT_FIELDS_INPUT,
} from '../../../shared/schemas/tenant-fields.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdParams, type Route, route } from '../../http/route.ts'
import type { ThreadsPort } from '../wallets/services.ts'
import { archiveTemplate } from './archive.ts'
import { createTemplate } from './create.ts'
import { previewContent, previewTemplate } from './preview.ts'
import { readTemplate, readTemplates } from './read.ts'
import { SAMPLE_INPUT } from './sample.ts'
import { updateTemplate } from './update.ts'

const LIST = '/v1/pass_templates'
const ONE = LIST + '/:id'
/** A publishable key sees a part of the template. */
const Shown = Type.Partial(PassTemplate)

/** A preview writes nothing, with any key. */
const PREVIEW = {
  scope: 'read',
  entitled: 'always',
  family: 'pass',
  bucket: 'read',
  answer: null,
  media: 'text/html',
} as const
const SAMPLE = {
  holder_name: described(
    SAMPLE_INPUT.holder_name,
    'Name of the holder; an invented name if left out.',
  ),
  values: described(
    SAMPLE_INPUT.values,
    'Values of the placeholders; invented values if left out.',
  ),
  language: described(
    SAMPLE_INPUT.language,
    "Language of the preview; the template's own words if left out or not translated.",
  ),
}

const previews: readonly Route<ThreadsPort>[] = [
  route({
    ...PREVIEW,
    method: 'GET',
    paths: [ONE + '/preview'],
    summary: 'Shows what passes of a template look like, as a page that is whole in itself.',
    params: IdParams,
    query: closed({ language: SAMPLE.language }),
    run: (context, { params, query: requested }, port: ThreadsPort) =>
      previewTemplate(context, params.id, { change: {}, requested }, port),
  }),
  route({
    ...PREVIEW,
    method: 'POST',
    paths: [ONE + '/preview'],
    summary: 'Shows what passes of a template would look like after a change, which is not made.',
    params: IdParams,
    body: closed({ ...PASS_CONTENT_CHANGE, ...SAMPLE }),
    run: (
      context,
      { params, body: { holder_name, values, language, ...change } },
      port: ThreadsPort,
    ) => {
      const requested = { holder_name, values, language }
      return previewTemplate(context, params.id, { change, requested }, port)
    },
  }),
  route({
    ...PREVIEW,
    method: 'POST',
    paths: [LIST + '/preview'],
    summary: 'Shows what passes of a template would look like, which is not made.',
    body: closed({ ...PASS_CONTENT_INPUT, ...SAMPLE }),
    run: (context, { body }, port: ThreadsPort) => {
      const { style, transit_type = null, holder_name, values, language, ...content } = body
      const { organization_name, description } = content
      const base = { style, transit_type, organization_name, description }
      const requested = { holder_name, values, language }
      return previewContent(context, { base, content, requested }, port)
    },
  }),
]

const templates: readonly Route<ThreadsPort>[] = [
  route({
    method: 'GET',
    paths: [LIST],
    scope: 'read',
    summary:
      'Lists pass templates, newest first. A publishable key is shown what is on their front.',
    family: 'pass',
    publishable: true,
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      status: Type.Optional(Type.Enum([...PASS_TEMPLATE_STATUSES])),
      external_id: Type.Optional(ExternalId),
    }),
    answer: PageOf(Shown),
    shape: PageOf(PassTemplate),
    run: (context, { query }) => readTemplates(context, query),
  }),
  route({
    method: 'GET',
    paths: [ONE],
    scope: 'read',
    summary: 'Returns one pass template. A publishable key is shown what is on its front.',
    family: 'pass',
    publishable: true,
    params: IdParams,
    answer: Shown,
    shape: PassTemplate,
    run: (context, { params }) => readTemplate(context, params.id),
  }),
  route({
    method: 'POST',
    paths: [LIST],
    scope: 'write',
    entitled: 'issuing',
    summary: 'Makes a template that passes can be issued from.',
    family: 'pass',
    bucket: 'templates_write',
    body: closed({ ...PASS_TEMPLATE_INPUT, ...TENANT_FIELDS_INPUT }),
    answer: PassTemplate,
    status: 201,
    run: (context, { body }) => {
      const { name, style, transit_type = null, external_id, metadata, ...content } = body
      const { organization_name, description } = content
      return createTemplate(context, {
        name,
        base: { style, transit_type, organization_name, description },
        content,
        externalId: external_id ?? null,
        metadata: metadata ?? {},
      })
    },
  }),
  route({
    method: 'PATCH',
    paths: [ONE],
    scope: 'write',
    entitled: 'always',
    summary:
      'Changes a pass template. The change goes on to every pass issued from it, in the background; fanout tells how far it is.',
    family: 'pass',
    bucket: 'templates_write',
    params: IdParams,
    body: closed(
      {
        ...PASS_TEMPLATE_CHANGE,
        if_version: Type.Optional(Type.Integer({ minimum: 1 })),
        ...TENANT_FIELDS_CHANGE,
      },
      { minProperties: 1 },
    ),
    answer: PassTemplate,
    run: (context, { params, body }) => {
      const { name, if_version: ifVersion, external_id, metadata, ...content } = body
      const own = {
        ...(external_id === undefined ? {} : { external_id }),
        ...(metadata === undefined ? {} : { metadata }),
      }
      const renamed = name === undefined ? {} : { name }
      return updateTemplate(context, params.id, { ...renamed, content, own, ifVersion })
    },
  }),
  route({
    method: 'POST',
    paths: [ONE + '/archive'],
    scope: 'write',
    entitled: 'always',
    summary: 'Archives a pass template for ever: no passes are issued from it any more.',
    family: 'pass',
    bucket: 'templates_write',
    params: IdParams,
    answer: PassTemplate,
    run: (context, { params }) => archiveTemplate(context, params.id),
  }),
]

export const passTemplateRoutes: readonly Route<ThreadsPort>[] = [...templates, ...previews]
