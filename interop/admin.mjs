/** Calls routes of the administration API of the demo. Throws an error if a call fails. */
export async function createAdmin(url) {
  const basic = Buffer.from('demo-ops:demo-ops-secret').toString('base64')
  const { access_token } = await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  }).then((response) => response.json())
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${access_token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${await response.text()}`)
    return response.json()
  }
}
