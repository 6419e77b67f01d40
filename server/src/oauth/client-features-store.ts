import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { SigningAlgorithm } from '../lib/signer.ts'

/** Options of the protocol that at least one client of the instance may use. */
export interface ClientFeatures {
  formPost: boolean
  pushedRequests: boolean
  /** The signing algorithms of applications, besides RS256. */
  furtherAlgorithms: SigningAlgorithm[]
  /** A client requires DPoP. */
  dpop: boolean
  deviceFlow: boolean
  tokenExchange: boolean
  privateKeyJwt: boolean
  /** A client has keys to sign authorization requests. */
  requestObjects: boolean
  backchannelLogout: boolean
}

export const findClientFeatures = (db: Db): Promise<ClientFeatures> =>
  db
    .selectFrom('clients')
    .select(sql<boolean>`coalesce(bool_or('form_post' = any(response_modes)), false)`.as('formPost'))
    .select(sql<boolean>`coalesce(bool_or(require_pushed_requests), false)`.as('pushedRequests'))
    .select(
      sql<SigningAlgorithm[]>`array(
        select signing_algorithm from applications
        union select previous_signing_algorithm from applications
        except select unnest(array['RS256', null])
        order by 1
      )`.as('furtherAlgorithms'),
    )
    .select(sql<boolean>`coalesce(bool_or(require_dpop), false)`.as('dpop'))
    .select(sql<boolean>`coalesce(bool_or(device_flow), false)`.as('deviceFlow'))
    .select(sql<boolean>`coalesce(bool_or(token_exchange), false)`.as('tokenExchange'))
    .select(sql<boolean>`coalesce(bool_or(token_endpoint_auth_method = 'private_key_jwt'), false)`.as('privateKeyJwt'))
    .select(
      sql<boolean>`coalesce(bool_or(kind <> 'MACHINE' and coalesce(jwks::text, jwks_uri) is not null), false)`.as(
        'requestObjects',
      ),
    )
    .select(sql<boolean>`coalesce(bool_or(backchannel_logout_uri is not null), false)`.as('backchannelLogout'))
    .where('disabled', '=', false)
    .executeTakeFirstOrThrow()
