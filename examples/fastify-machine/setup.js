// Run once, by an operator: creates the webhook, and prints the settings of the service.
import { createMachineClient } from '@latchkey/node'

const { LATCHKEY_URL = 'http://localhost:3000', PORT = '4000' } = process.env
const operator = createMachineClient({ issuer: LATCHKEY_URL, clientId: 'demo-ops', clientSecret: 'demo-ops-secret' })

const { applications } = await operator.call('GET /api/admin/applications', { query: { search: 'project-manager' } })
const [{ id: applicationId }] = applications
const licenseTypes = await operator.call('GET /api/licensing/license-types', { query: { applicationId } })
const webhook = await operator.call('POST /api/admin/webhooks', {
  body: { url: `http://localhost:${PORT}/webhooks`, events: ['member.joined', 'member.added'] },
})

console.log(`LATCHKEY_URL=${LATCHKEY_URL}
PORT=${PORT}
APPLICATION_ID=${applicationId}
LICENSE_TYPE_ID=${licenseTypes.find(({ slug }) => slug === 'pro').id}
CLIENT_ID=demo-machine
CLIENT_SECRET=demo-machine-secret
WEBHOOK_SECRET=${webhook.secret}`)
