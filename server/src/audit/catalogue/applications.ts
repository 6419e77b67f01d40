import { Type } from 'typebox'
import { changed, defineKinds, Fields } from './kind.ts'

const Id = Type.String({ format: 'uuid' })
const Count = Type.Integer()
const APPLICATION = '0197a2b0-7d5c-7000-8000-0000000000a1'
const CLIENT = {
  id: '0197a2b0-7d5c-7000-8000-0000000000c1',
  clientId: 'shop-web',
  applicationId: APPLICATION,
}
const SECRET = '0197a2b0-7d5c-7000-8000-0000000000e1'

const client = { id: Id, clientId: Type.String(), applicationId: Id }
const closed = { additionalProperties: false }
const SHOP = { name: 'Shop', slug: 'shop', trusted: true, licensingMode: 'PER_SEAT' }
const WEB = { kind: 'WEB', tenantId: null, name: 'Shop on the web', scopes: ['openid'], secretIds: [SECRET] }

export const applicationKinds = defineKinds({
  'application.created': {
    says: 'An application was made.',
    details: Type.Object({ applicationId: Id, after: Fields }, closed),
    example: { applicationId: APPLICATION, after: SHOP },
  },
  'application.changed': {
    says: 'An application was changed.',
    details: changed({ applicationId: Id }),
    example: { applicationId: APPLICATION, before: { trusted: true }, after: { trusted: false } },
  },
  'application.deleted': {
    says: 'An application was deleted, with its clients and licence types.',
    details: Type.Object({ applicationId: Id, before: Fields, clients: Count, licenseTypes: Count }, closed),
    example: { applicationId: APPLICATION, before: SHOP, clients: 2, licenseTypes: 3 },
  },
  'application.branding_changed': {
    says: 'How the hosted pages look for an application was changed; of a logo its SHA-256 is told.',
    details: changed({ applicationId: Id }),
    example: { applicationId: APPLICATION, before: { color: null }, after: { color: '#3b5bdb' } },
  },
  'client.registered': {
    says: 'A client was registered.',
    details: Type.Object({ ...client, after: Fields }, closed),
    example: { ...CLIENT, after: WEB },
  },
  'client.changed': {
    says: 'A client was changed.',
    details: changed(client),
    example: { ...CLIENT, before: { disabled: false }, after: { disabled: true } },
  },
  'client.deleted': {
    says: 'A client was deleted.',
    details: Type.Object({ ...client, before: Fields }, closed),
    example: { ...CLIENT, before: WEB },
  },
  'client.secret_added': {
    says: 'A client was given a secret.',
    details: Type.Object({ ...client, secretId: Id }, closed),
    example: { ...CLIENT, secretId: SECRET },
  },
  'client.secret_ended': {
    says: 'A secret of a client was ended, with the tokens it obtained.',
    details: Type.Object({ ...client, secretId: Id }, closed),
    example: { ...CLIENT, secretId: SECRET },
  },
  'client.refused': {
    says: 'A client gave a wrong secret; at most one a minute for each client and network.',
    details: Type.Object(
      {
        reason: Type.Enum(['wrong_secret', 'no_secret', 'disabled', 'unknown_client']),
        id: Type.Optional(Id),
        clientId: Type.Optional(Type.String()),
        applicationId: Type.Optional(Id),
      },
      closed,
    ),
    example: { reason: 'wrong_secret', ...CLIENT },
  },
})
