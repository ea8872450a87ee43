// The endpoints of clearing files: an operator uploads them, and tenants read the exceptions.
import { Type } from '../../../shared/schema-builders.ts'
import {
  CLEARING_EXCEPTION_KINDS,
  ClearingEntry,
  ClearingException,
  ClearingFile,
} from '../../../shared/schemas/clearing-file.ts'
import { described } from '../../../shared/schemas/described.ts'
import { PageOf } from '../../../shared/schemas/list.ts'
import { CREATED_FILTERS } from '../../database/created-filter.ts'
import { PAGE_QUERY } from '../../database/page.ts'
import { closed, IdFilter, IdParams, operatorRoute, type Route, route } from '../../http/route.ts'
import { addPart } from './add-part.ts'
import { closeClearingFile } from './close.ts'
import { openClearingFile } from './open.ts'
import { readExceptions, readExceptionsOfFile, readFile, readFiles } from './read.ts'

const ENTRIES_MAX = 2000
const PARTS_MAX = 100_000

const Network = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })
const Environment = Type.Enum(['sandbox', 'live'])
const Name = Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\x21-\\x7e]+$' })
/** A day; the format refuses impossible days. */
const Day = Type.String({ format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

const EXCEPTION_FILTERS = {
  ...PAGE_QUERY,
  ...CREATED_FILTERS,
  kind: Type.Optional(Type.Enum([...CLEARING_EXCEPTION_KINDS])),
  message_id: Type.Optional(Name),
  transaction_id: IdFilter,
}

export const clearingFileRoutes: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v1/clearing_exceptions'],
    summary: 'Lists what clearing files of the network say otherwise than your transactions.',
    family: 'card',
    scope: 'read',
    query: closed(EXCEPTION_FILTERS),
    answer: PageOf(ClearingException),
    run: (context, { query }) => readExceptions(context, query),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/clearing_files'],
    summary: 'Lists clearing files of the card networks.',
    query: closed({
      ...PAGE_QUERY,
      ...CREATED_FILTERS,
      network: Type.Optional(Network),
      environment: Type.Optional(Environment),
      business_date: Type.Optional(Day),
      status: Type.Optional(Type.Enum(['open', 'closed'])),
    }),
    answer: PageOf(ClearingFile),
    run: (context, { query }) => readFiles(context, query),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/clearing_files/:id'],
    summary: 'Shows a clearing file with what agreed and what did not, counted.',
    params: IdParams,
    answer: ClearingFile,
    run: (context, { params }) => readFile(context, params.id),
  }),
  operatorRoute({
    method: 'GET',
    paths: ['/operator/v1/clearing_files/:id/exceptions'],
    summary: 'Lists what in a clearing file does not agree with what is recorded.',
    params: IdParams,
    query: closed(EXCEPTION_FILTERS),
    answer: PageOf(ClearingException),
    run: (context, { params, query }) =>
      readExceptionsOfFile(context, { ...query, clearingFileId: params.id }),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/clearing_files'],
    summary: 'Opens a clearing file of a network for a day; again, answers with it.',
    body: closed({
      environment: Environment,
      network: Network,
      file_id: described(Name, 'The network’s own name of the file.'),
      business_date: described(Day, 'The day it clears, YYYY-MM-DD.'),
    }),
    answer: ClearingFile,
    run: (context, { body }) =>
      openClearingFile(context, {
        environment: body.environment,
        network: body.network,
        fileId: body.file_id,
        businessDate: body.business_date,
      }),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/clearing_files/:id/parts'],
    summary: 'Adds a part of a clearing file and compares its entries with what is recorded.',
    params: IdParams,
    body: closed({
      part: described(
        Type.Integer({ minimum: 1, maximum: PARTS_MAX }),
        'Its number, from 1. The same part with the same entries changes nothing.',
      ),
      entries: described(
        Type.Array(ClearingEntry, { minItems: 1, maxItems: ENTRIES_MAX }),
        'The movements of this part.',
      ),
    }),
    answer: ClearingFile,
    run: (context, { params, body }) => addPart(context, { clearingFileId: params.id, ...body }),
  }),
  operatorRoute({
    method: 'POST',
    paths: ['/operator/v1/clearing_files/:id/close'],
    summary: 'Closes a clearing file that is whole and finds out what is missing in it.',
    params: IdParams,
    body: closed({
      entries: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'How many entries the whole file has.',
      }),
    }),
    answer: ClearingFile,
    run: (context, { params, body }) => closeClearingFile(context, { id: params.id, ...body }),
  }),
]
