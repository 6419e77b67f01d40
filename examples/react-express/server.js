import { createLatchkey } from '@latchkey/node'
import { requireLicense } from '@latchkey/node/express'
import express from 'express'

const { LATCHKEY_URL = 'http://localhost:3000', APPLICATION_ID, PORT = '8080' } = process.env
const latchkey = createLatchkey({ issuer: LATCHKEY_URL, applicationId: APPLICATION_ID })
const app = express()

/** The projects of each tenant, by the slug of the tenant. */
const projects = new Map([
  ['acme', ['Website', 'Mobile app']],
  ['globex', ['Data warehouse']],
])

// Hiding a button is no protection, so the license is checked here. The tenant comes from the token.
app.post('/api/export', requireLicense(latchkey, 'export'), (request, response) => {
  response.json({ projects: projects.get(request.auth.tenantSlug) ?? [] })
})

// The single-page application. Latchkey returns to /callback after a sign-in.
app.use(express.static('dist'))
app.get('/callback', (_request, response) => response.sendFile('index.html', { root: 'dist' }))

app.listen(Number(PORT), 'localhost', () => console.log(`Open http://localhost:${PORT}`))
