import { type ComponentType, useEffect, useState } from 'react'
import { findChunkProblem } from '../../chunk-problem.ts'
import { shell } from '../../text/shell.ts'
import { showProblem } from '../../ui/notifications.tsx'
import type { Shortcuts } from './use-shortcuts.ts'

/** After the page has loaded. */
const PRELOAD_AFTER_MS = 2_000

const loadOverlays = () => import('./overlays.tsx')

/** Loads the palette and the keyboard help at the first use. If they cannot be loaded, the next use tries again. */
export function LazyOverlays(shortcuts: Shortcuts) {
  const { shown, close } = shortcuts
  const [loaded, setLoaded] = useState<{ Overlays: ComponentType<Shortcuts> }>()
  useEffect(preloadOverlays, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `close` is a new function in every render.
  useEffect(() => {
    if (!shown || loaded) return
    loadOverlays().then(setLoaded, () => {
      close()
      void findChunkProblem().then((problem) => showProblem(shell.overlayChunk[problem]))
    })
  }, [shown, loaded])
  return loaded && <loaded.Overlays {...shortcuts} />
}

/** Loads the palette while the browser has nothing else to do, so that it opens at once. */
function preloadOverlays() {
  const timer = setTimeout(() => void loadOverlays().catch(() => {}), PRELOAD_AFTER_MS)
  return () => clearTimeout(timer)
}
