import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/font.css'
import './ui/console.css'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/use-api.ts'
import { App } from './app.tsx'
import { CrashPage } from './error-boundary.tsx'
import { currentDirection } from './languages/catalog.ts'
import { theme } from './ui/theme.ts'

/** The Content-Security-Policy allows styles with this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
setNonce(nonce)

const root = createRoot(document.getElementById('root') ?? document.body)

/** Renders in slices, so that the page reacts meanwhile. */
const render = (content: React.ReactNode) =>
  startTransition(() =>
    root.render(
      <StrictMode>
        <DirectionProvider initialDirection={currentDirection()}>
          <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
            <QueryClientProvider client={queryClient}>
              {/* Centered, because the buttons of a page are at its right edge. */}
              <Notifications position="bottom-center" />
              {content}
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </StrictMode>,
    ),
  )

/** Shows the console after the sign-in. */
export function renderConsole(signedIn: Promise<void>): void {
  signedIn.then(
    () => render(<App />),
    (error: unknown) => render(<CrashPage error={error} />),
  )
}
