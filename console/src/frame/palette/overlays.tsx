import { KeyboardHelp } from './keyboard-help.tsx'
import { Palette } from './palette.tsx'
import type { Shortcuts } from './use-shortcuts.ts'

/** What the frame loads on demand, in one chunk. It stays mounted, so that closing returns the focus. */
export const Overlays = ({ shown, close, singleKeys, setSingleKeys }: Shortcuts) => (
  <>
    <Palette opened={shown === 'palette'} onClose={close} />
    <KeyboardHelp opened={shown === 'help'} onClose={close} singleKeys={singleKeys} setSingleKeys={setSingleKeys} />
  </>
)
