// What the suites of the examples do at Latchkey: sign users in, and change seats, applications and clients.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LATCHKEY } from './program.mjs'

const execute = promisify(execFile)

/** The calls of a suite to the Latchkey at `url`. */
export async function connect(url) {
  const operator = await getMachineToken(url, 'demo-ops', 'demo-ops-secret')
  const machine = await getMachineToken(url, 'demo-machine', 'demo-machine-secret')
  const asOperator = (method, path, body) => call(url, { method, path, body, token: operator })
  const asMachine = (method, path, body) => call(url, { method, path, body, token: machine })
  return {
    machineToken: machine,
    asOperator,
    /** The tokens of a demo user, as a developer gets them. */
    async getTokens(user, { client = 'demo-spa', options = [] } = {}) {
      const args = [LATCHKEY, 'token', '--url', url, '--user', user, '--client', client, ...options]
      const { stdout } = await execute(process.execPath, args)
      return JSON.parse(stdout)
    },
    /** Ends the session in which the ID token was issued, as an application does. */
    async signOut(idToken) {
      const response = await fetch(`${url}/api/oauth/logout?${new URLSearchParams({ id_token_hint: idToken })}`)
      assert.equal(response.status, 200)
    },
    revokeSeat: (userId, applicationId) =>
      asMachine('POST', '/api/integration/licenses/revoke', { userId, applicationId }),
    /** Assigns a seat of a license type, and buys one before if the tenant has none. */
    async grantSeat({ userId, tenantId, applicationId, licenseType }) {
      const types = await asOperator('GET', `/api/licensing/license-types?applicationId=${applicationId}`)
      const licenseTypeId = types.find(({ slug }) => slug === licenseType).id
      const subscriptions = `/api/licensing/tenants/${tenantId}/subscriptions`
      const isSubscribed = (await asOperator('GET', subscriptions)).some(
        (entry) => entry.licenseTypeId === licenseTypeId,
      )
      if (!isSubscribed) await asOperator('POST', subscriptions, { licenseTypeId, quantityPurchased: 1 })
      await asMachine('POST', '/api/integration/licenses/grant', { userId, applicationId, licenseTypeId })
    },
    /** Creates an application with one WEB client. */
    async createApplication({ name, ...client }) {
      const application = await asOperator('POST', '/api/admin/applications', { name })
      const body = { applicationId: application.id, kind: 'WEB', name, ...client }
      const { id, clientId, clientSecret } = await asOperator('POST', '/api/admin/clients', body)
      const remove = async () => {
        await asOperator('DELETE', `/api/admin/clients/${id}`)
        await asOperator('DELETE', `/api/admin/applications/${application.id}`)
      }
      return { clientId, clientSecret, remove }
    },
  }
}

async function getMachineToken(url, id, secret) {
  const response = await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${id}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  assert.equal(response.status, 200)
  return (await response.json()).access_token
}

async function call(url, { method, path, body, token }) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path} returned ${response.status}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
