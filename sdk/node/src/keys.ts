import { errors } from 'jose'

/** The algorithms that Latchkey signs with, each with keys of its own. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']

/** A token that is wrong is not the same as keys that cannot be fetched. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)
