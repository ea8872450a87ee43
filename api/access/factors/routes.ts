// The endpoints of second factors. People see pages instead.
import { FactorChallenge } from '../../../shared/schemas/factor-challenge.ts'
import { IdParams, type Route, route } from '../../http/route.ts'
import { readChallenge } from './read.ts'

export const factorRoutes: readonly Route[] = [
  route({
    summary: 'Says whether a person has approved a call; 202 while nobody has decided.',
    method: 'GET',
    paths: ['/v1/factor_challenges/:id'],
    scope: 'read',
    params: IdParams,
    answer: FactorChallenge,
    pending: (answer) => (answer as FactorChallenge).status === 'pending',
    run: (context, { params }) => readChallenge(context, params.id),
  }),
]
