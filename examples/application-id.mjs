// Prints the id of the application of the demo, which is the audience (aud) of its access tokens. In production, copy
// the id from the page of your application in the console.
const url = process.env.LATCHKEY_URL ?? 'http://localhost:3000'

const tokenResponse = await fetch(`${url}/api/oauth/token`, {
  method: 'POST',
  headers: { authorization: `Basic ${btoa('demo-ops:demo-ops-secret')}` },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
})
const { access_token: token } = await tokenResponse.json()
const response = await fetch(`${url}/api/admin/applications?search=project-manager`, {
  headers: { authorization: `Bearer ${token}` },
})
const { applications } = await response.json()
process.stdout.write(`${applications[0].id}\n`)
