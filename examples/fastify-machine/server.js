import { createApp } from './app.js'

const app = await createApp({
  issuer: process.env.LATCHKEY_URL,
  applicationId: process.env.APPLICATION_ID,
  licenseTypeId: process.env.LICENSE_TYPE_ID,
  clientId: process.env.CLIENT_ID,
  clientSecret: process.env.CLIENT_SECRET,
  webhookSecret: process.env.WEBHOOK_SECRET,
})
console.log(`Ready at ${await app.listen({ port: Number(process.env.PORT) })}`)
