// Names all faults of a refused message, not only the first. Part of decode, for messages that are
// refused already: a good one never comes here.
import { Ajv, type ErrorObject } from 'ajv'
import { ALL_FAULTS } from '../../shared/ajv-options.ts'
import { ERRORS } from '../../shared/error-catalog.ts'
import { NetworkMessage as WireSchema } from '../../shared/schemas/network-message.ts'
import { type MessageFault, type Refused, refusal } from './line.ts'

/** Faults that one refusal names. */
const FAULTS_MAX = 10

const findAll = new Ajv(ALL_FAULTS).compile(WireSchema)

/**
 * The refusal of a message by its schema: the first fault as the refusal, and one fault for each
 * field beside it, ten at most.
 */
export function refusedBySchema(first: ErrorObject | undefined, wire: unknown): Refused {
  if (first === undefined) return refusal('parameter_invalid')
  findAll(wire)
  const others: Refused[] = []
  for (const error of findAll.errors ?? []) others.push(refusedBy(error))
  return withOthers(refusedBy(first), others)
}

/** The refusal with its own fault and the others of the same message, one for each field. */
export function withOthers(first: Refused, others: readonly (Refused | null)[]): Refused {
  if (faultOf(first) === null) return first
  const faults = new Map<string | null, MessageFault>()
  for (const refused of [first, ...others]) {
    const fault = refused === null ? null : faultOf(refused)
    if (fault === null || faults.has(fault.param)) continue
    faults.set(fault.param, fault)
    if (faults.size === FAULTS_MAX) break
  }
  first.errors = Array.from(faults.values())
  return first
}

/** Null for a refusal that is about no single field. */
function faultOf({ refused, param, detail }: Refused): MessageFault | null {
  return refused === 'parameter_missing' || refused === 'parameter_invalid'
    ? { code: refused, param, message: detail ?? ERRORS[refused].message }
    : null
}

function refusedBy(error: ErrorObject): Refused {
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty'])
    return refusal('parameter_missing', path === '' ? missing : path + '.' + missing)
  }
  if (path === '') return refusal('parameter_invalid', null, 'The body must be a JSON object.')
  // The validator's message names the bound, never the sent value.
  return refusal('parameter_invalid', path, path + ' ' + (error.message ?? 'is not accepted') + '.')
}
