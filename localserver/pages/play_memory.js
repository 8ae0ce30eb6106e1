// What is played, what is remembered of it on this device, and the other tabs that play it too.

const persona = JSON.parse($('persona').textContent)
const machines = new Map(persona.machines.map((m) => [m.id, m]))
const narrow = matchMedia('(hover: none) and (pointer: coarse)')

// ---- what is remembered on this device ----
const shelf = 'parley:' + persona.id
let me = { user: '', name: '', gender: 'non-binary', machine: '' }
// pending is a turn whose answer has not come: this tab's, so that no other one sends it too.
let pending = null
const remember = (store, value) => { try { value ? store().setItem(shelf, JSON.stringify(value)) : store().removeItem(shelf) } catch { /* not kept, still playable */ } }
const recall = (store) => { try { return JSON.parse(store().getItem(shelf)) } catch { return null /* private window */ } }
const device = () => localStorage, thisTab = () => sessionStorage
const keep = () => { remember(device, me.user && me); remember(thisTab, pending) }
Object.assign(me, recall(device))
pending = recall(thisTab)

// ---- other tabs with the same conversation ----
const tabs = window.BroadcastChannel ? new BroadcastChannel(shelf) : { postMessage() {} }
const tellTabs = () => tabs.postMessage(me)

const chat = (verb) => '/chat/' + encodeURIComponent(persona.id) + '/' + verb
const progressPath = (verb) => '/personas/' + encodeURIComponent(persona.id) + '/' + verb
