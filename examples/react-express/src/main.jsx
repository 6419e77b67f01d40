import { LatchkeyProvider } from '@latchkey/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.jsx'

const { LATCHKEY_URL = 'http://localhost:3000', CLIENT_ID = 'demo-spa', APPLICATION_ID } = import.meta.env

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <LatchkeyProvider
      issuer={LATCHKEY_URL}
      clientId={CLIENT_ID}
      applicationId={APPLICATION_ID}
      redirectUri={`${location.origin}/callback`}
    >
      <App />
    </LatchkeyProvider>
  </StrictMode>,
)
