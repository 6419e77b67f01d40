import { Type } from 'typebox'
import { changeDetails, defineActions, Fields } from './definition.ts'

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

const REGISTRATION_TOKEN = '0197a2b0-7d5c-7000-8000-0000000000d1'
const PARTNERS = { name: 'Partners', redirectHosts: null, maxUses: 10, uses: 0, expiresAt: '2026-08-01T09:00:00.000Z' }

const RESOURCE = {
  id: '0197a2b0-7d5c-7000-8000-0000000000f1',
  uri: 'https://api.example.com/reports',
  applicationId: APPLICATION,
}
const resource = { id: Id, uri: Type.String(), applicationId: Id }
const REPORTS = { name: 'Reports', scopes: ['reports:read'], allowedClients: [], allowDynamicClients: false }

export const applicationActions = defineActions({
  'application.created': {
    summary: 'An application was created.',
    details: Type.Object({ applicationId: Id, after: Fields }, closed),
    example: { applicationId: APPLICATION, after: SHOP },
  },
  'application.changed': {
    summary: 'An application was changed.',
    details: changeDetails({ applicationId: Id }),
    example: { applicationId: APPLICATION, before: { trusted: true }, after: { trusted: false } },
  },
  'application.deleted': {
    summary: 'An application was deleted, with its clients and license types.',
    details: Type.Object({ applicationId: Id, before: Fields, clients: Count, licenseTypes: Count }, closed),
    example: { applicationId: APPLICATION, before: SHOP, clients: 2, licenseTypes: 3 },
  },
  'application.branding_changed': {
    summary: 'The branding of an application was changed. A logo is represented by its SHA-256.',
    details: changeDetails({ applicationId: Id }),
    example: { applicationId: APPLICATION, before: { color: null }, after: { color: '#3b5bdb' } },
  },
  'client.registered': {
    summary: 'A client was registered.',
    details: Type.Object({ ...client, after: Fields, registrationTokenId: Type.Optional(Id) }, closed),
    example: { ...CLIENT, after: WEB },
  },
  'client.changed': {
    summary: 'A client was changed.',
    details: changeDetails(client),
    example: { ...CLIENT, before: { disabled: false }, after: { disabled: true } },
  },
  'client.deleted': {
    summary: 'A client was deleted.',
    details: Type.Object({ ...client, before: Fields }, closed),
    example: { ...CLIENT, before: WEB },
  },
  'client.secret_added': {
    summary: 'A secret was added to a client.',
    details: Type.Object({ ...client, secretId: Id }, closed),
    example: { ...CLIENT, secretId: SECRET },
  },
  'client.secret_ended': {
    summary: 'A client secret was revoked, together with the tokens obtained with it.',
    details: Type.Object({ ...client, secretId: Id }, closed),
    example: { ...CLIENT, secretId: SECRET },
  },
  'client.logout_replayed': {
    summary: 'A logout token was sent to a client again.',
    details: Type.Object({ ...client, deliveryId: Id }, closed),
    example: { ...CLIENT, deliveryId: '0197a2b0-7d5c-7000-8000-0000000000d1' },
  },
  'client.refused': {
    summary: 'A client failed to authenticate. At most one entry per minute for each client and network.',
    details: Type.Object(
      {
        reason: Type.Enum([
          'wrong_secret',
          'no_secret',
          'wrong_method',
          'wrong_assertion',
          'disabled',
          'unknown_client',
        ]),
        id: Type.Optional(Id),
        clientId: Type.Optional(Type.String()),
        applicationId: Type.Optional(Id),
      },
      closed,
    ),
    example: { reason: 'wrong_secret', ...CLIENT },
  },
  'registration_token.created': {
    summary: 'A token with which clients may register themselves was created.',
    details: Type.Object({ registrationTokenId: Id, after: Fields }, closed),
    example: { registrationTokenId: REGISTRATION_TOKEN, after: PARTNERS },
  },
  'registration_token.revoked': {
    summary: 'A registration token was revoked. The clients that registered with it stay.',
    details: Type.Object({ registrationTokenId: Id, before: Fields }, closed),
    example: { registrationTokenId: REGISTRATION_TOKEN, before: PARTNERS },
  },
  'resource.registered': {
    summary: 'A resource, an API for which clients request tokens, was registered.',
    details: Type.Object({ ...resource, after: Fields }, closed),
    example: { ...RESOURCE, after: REPORTS },
  },
  'resource.changed': {
    summary: 'A resource was changed.',
    details: changeDetails(resource),
    example: {
      ...RESOURCE,
      before: { scopes: ['reports:read'] },
      after: { scopes: ['reports:read', 'reports:write'] },
    },
  },
  'resource.deleted': {
    summary: 'A resource was deleted, and the tokens for it ended.',
    details: Type.Object({ ...resource, before: Fields }, closed),
    example: { ...RESOURCE, before: REPORTS },
  },
})
