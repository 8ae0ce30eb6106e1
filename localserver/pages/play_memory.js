// The persona, what this device stores about it, and other tabs with the same conversation.

const persona = JSON.parse($('persona').textContent)
const machines = new Map(persona.machines.map((m) => [m.id, m]))
const narrow = matchMedia('(hover: none) and (pointer: coarse)')

// ---- stored on this device ----
const shelf = 'parley:' + persona.id
// found contains the endings that the player has reached, as PART/OUTCOME or PART/OUTCOME/NAME.
let me = { user: '', name: '', gender: 'non-binary', machine: '', found: [] }
// pending is a turn that was not answered yet. It is stored for this tab only, so that no other tab
// sends it too.
let pending = null
const remember = (store, value) => { try { value ? store().setItem(shelf, JSON.stringify(value)) : store().removeItem(shelf) } catch { /* not kept, still playable */ } }
const recall = (store) => { try { return JSON.parse(store().getItem(shelf)) } catch { return null /* private window */ } }
const device = () => localStorage, thisTab = () => sessionStorage
const keep = () => {
  remember(device, me.user && { ...me, at: Date.now() })
  remember(thisTab, pending)
  dropOldest()
}
// dropOldest forgets the persona that was not played for the longest time if too many are stored.
const mostPersonas = 1000
const dropOldest = () => {
  try {
    const shelves = Object.keys(localStorage).filter((key) => key.startsWith('parley:') && key !== shelf)
    if (shelves.length < mostPersonas) return
    const age = (key) => { try { return JSON.parse(localStorage.getItem(key)).at || 0 } catch { return 0 } }
    localStorage.removeItem(shelves.reduce((oldest, key) => age(key) < age(oldest) ? key : oldest))
  } catch { /* private window */ }
}
Object.assign(me, recall(device))
pending = recall(thisTab)

// ---- endings found ----
const mostFound = 200
const isEnding = (key) => {
  const [part, outcome, ...name] = String(key).split('/'), { outcomes } = machines.get(part) || { outcomes: [] }
  if (name.length > 0) return outcomes.includes([outcome, ...name].join('/'))
  return machines.has(part) && Object.hasOwn(persona.endings, outcome) && (outcomes.includes(outcome) || !outcomes.some((o) => o.startsWith(outcome + '/')))
}
// addFound adds endings to me.found and returns whether one of them is new.
const addFound = (keys) => {
  const before = new Set((Array.isArray(me.found) ? me.found : []).filter(isEnding))
  const all = new Set([...before, ...keys.filter(isEnding)])
  me.found = [...all].slice(-mostFound)
  return all.size > before.size
}
// foundWords returns a sentence about the number of endings found. isNew is undefined if no ending
// was just reached.
const foundWords = (isNew) => {
  const possible = new Set([...persona.machines.flatMap((m) => m.outcomes.map((outcome) => m.id + '/' + outcome)), ...me.found])
  const found = me.found.length, all = possible.size
  if (found === 0 || all === 1) return ''
  const words = isNew === undefined ? persona.found.count : !isNew ? persona.found.known : found < all ? persona.found.new : persona.found.last
  return words.replace('%found', found).replace('%all', all)
}
addFound([])

// ---- other tabs with the same conversation ----
const tabs = window.BroadcastChannel ? new BroadcastChannel(shelf) : { postMessage() {} }
const tellTabs = () => tabs.postMessage(me)

const chat = (verb) => '/chat/' + encodeURIComponent(persona.id) + '/' + verb
const progressPath = (verb) => '/personas/' + encodeURIComponent(persona.id) + '/' + verb
