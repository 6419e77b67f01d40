import { LatchkeyError } from '@latchkey/client'
import { createLatchkey, createMachineClient, createMachineToken } from '@latchkey/node'
import { requireRole } from '@latchkey/node/fastify'
import { verifyWebhook, WebhookError } from '@latchkey/node/webhooks'
import Fastify from 'fastify'

/**
 * The back office of one tenant. Every new member gets a seat. Owners and admins can read the licenses, and export the
 * data of a member whose license has the feature `export`.
 */
export async function createApp({ issuer, applicationId, licenseTypeId, clientId, clientSecret, webhookSecret }) {
  const credentials = { issuer, clientId, clientSecret }
  const machine = createMachineClient(credentials)
  // The machine client belongs to one tenant. Admins of another tenant must not use it.
  const { tenantId } = await createLatchkey({ issuer, applicationId }).verify(await createMachineToken(credentials)())
  const latchkey = createLatchkey({ issuer, applicationId, tenantId })
  const onRequest = requireRole(latchkey, 'owner', 'admin')
  const app = Fastify()

  app.get('/licenses', { onRequest }, async () => {
    const { count } = await machine.call('GET /api/integration/licenses/apps/{applicationId}/count', {
      path: { applicationId },
    })
    const users = await machine.call('GET /api/integration/licenses/apps/{applicationId}/users', {
      path: { applicationId },
    })
    return { count, users: users.map(({ email, licenseType }) => ({ email, licenseType })) }
  })

  app.post('/members/:userId/export', { onRequest }, async ({ params: { userId } }, reply) => {
    const { hasFeature } = await machine.call('GET /api/integration/licenses/feature', {
      query: { userId, applicationId, featureKey: 'export' },
    })
    if (!hasFeature) return reply.code(403).send({ error: 'license_required' })
    return reply.code(202).send({ export: userId })
  })

  app.register(async (webhooks) => {
    // The signature covers the body as it was received, so it must not be parsed before.
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    webhooks.post('/webhooks', async (request, reply) => {
      const event = verifyWebhook(webhookSecret, request.headers, request.body)
      const isNewMember = event.type === 'member.joined' || event.type === 'member.added'
      if (isNewMember && event.data.tenantId === tenantId) await grantSeat(event)
      return reply.code(204).send()
    })
    webhooks.setErrorHandler((error, _request, reply) => {
      if (error instanceof WebhookError) return reply.code(400).send({ error: error.message })
      // Latchkey sends the event again after any status other than 2xx.
      throw error
    })
  })

  async function grantSeat({ id, data: { userId } }) {
    try {
      // The same event may arrive twice. With its id as the key, it takes one seat.
      await machine.call('POST /api/integration/licenses/grant', {
        body: { userId, applicationId, licenseTypeId },
        idempotencyKey: id,
      })
    } catch (error) {
      if (!(error instanceof LatchkeyError)) throw error
      if (!['ALREADY_LICENSED', 'NO_SEATS_AVAILABLE'].includes(error.code)) throw error
      app.log.warn(`No seat for ${userId}: ${error.code}`)
    }
  }

  return app
}
