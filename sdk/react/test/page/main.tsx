import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { LatchkeyProvider, type LatchkeyProviderProps } from '../../src/index.ts'
import { Panels } from './panels.tsx'

/** The page of the browser tests. The test puts the properties of the provider into the HTML. */

declare global {
  var providerProps: LatchkeyProviderProps
}

function App() {
  const [isMounted, setMounted] = useState(true)
  return (
    <>
      <button type="button" onClick={() => setMounted(!isMounted)}>
        {isMounted ? 'Unmount' : 'Mount'}
      </button>
      {isMounted && (
        <LatchkeyProvider {...globalThis.providerProps}>
          <Panels />
        </LatchkeyProvider>
      )}
    </>
  )
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
