import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/console.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api/use-api.ts'
import { App } from './app.tsx'
import { Crash } from './crash.tsx'
import { arrive } from './session/arrive.ts'
import { theme } from './ui/theme.ts'

/** The page allows styles that carry its number. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(nonce)

const root = createRoot(document.getElementById('root') ?? document.body)
const show = (content: React.ReactNode) =>
  root.render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        <QueryClientProvider client={queries}>
          {/* In the middle, because what can be pressed on a page stands at its right edge. */}
          <Notifications position="bottom-center" />
          {content}
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )

arrive().then(
  () => show(<App />),
  (error: unknown) => show(<Crash error={error} />),
)
