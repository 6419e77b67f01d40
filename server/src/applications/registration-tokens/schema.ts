import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/routing/pagination.ts'
import { Timestamp } from '../../http/routing/schema.ts'
import { Id, Name, texts } from '../schema.ts'
import { DEFAULT_DAYS, MAX_DAYS, MAX_USES } from './service.ts'

const RedirectHosts = Type.Union([texts(253, 'Host names'), Type.Null()], {
  description: 'The hosts that the redirect URIs of the clients may have; null: any',
})

export const RegistrationTokenBody = Type.Object(
  {
    id: Id,
    name: Type.String(),
    redirectHosts: RedirectHosts,
    maxUses: Type.Integer({ description: 'How many clients may register with it' }),
    uses: Type.Integer({ description: 'How many have' }),
    expiresAt: Timestamp,
    createdAt: Timestamp,
  },
  { title: 'RegistrationToken' },
)
export type RegistrationTokenBody = Static<typeof RegistrationTokenBody>

export const CreatedRegistrationToken = Type.Object(
  {
    ...RegistrationTokenBody.properties,
    registrationToken: Type.String({ description: 'Shown only once' }),
  },
  { title: 'CreatedRegistrationToken' },
)

export const NewRegistrationToken = Type.Object({
  name: Name,
  expiresInDays: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: `${DEFAULT_DAYS} when left out` }),
  ),
  maxUses: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_USES,
      description: 'How many clients may register with it; 1 when left out',
    }),
  ),
  redirectHosts: Type.Optional(RedirectHosts),
})

export const RegistrationTokenPage = Type.Object({
  registrationTokens: Type.Array(RegistrationTokenBody),
  clientRegistration: Type.Enum(['off', 'token', 'open'], {
    description: 'Whether clients may register themselves at this instance: not at all, with a token, or without one',
  }),
  pagination: Pagination,
})

export const RegistrationTokenQuery = Type.Object(pageQuery)
