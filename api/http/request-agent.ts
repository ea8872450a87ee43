// Connections of undici, with its method `request`, which its index would add.
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'

/** Keeps connections per origin, and answers a request with a promise. */
export class RequestAgent extends Agent {}
RequestAgent.prototype.request = request
