// Diarist for OpenCode: reports sessions to `diarist hook`, and puts before the agent what past sessions know.
// Written by `diarist connect opencode`; `diarist disconnect opencode` removes it.
import { spawn } from "node:child_process"

const COMMAND: string[] = ["diarist"]
const DEADLINE_MS = 5000

/** Runs one hook; resolves with the context it wants shown, empty for none. Never fails: OpenCode must not notice. */
function hook(event: string, payload: Record<string, unknown>): Promise<string> {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", event, "--client", "opencode"], {
        stdio: ["pipe", "pipe", "ignore"],
      })
      let output = ""
      const timer = setTimeout(() => child.kill(), DEADLINE_MS)
      child.on("error", () => resolve(""))
      child.stdout.on("data", (chunk) => (output += chunk))
      child.on("close", () => {
        clearTimeout(timer)
        try {
          resolve(output ? String(JSON.parse(output).context ?? "") : "")
        } catch {
          resolve("")
        }
      })
      child.stdin.on("error", () => undefined)
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

export const Diarist = async ({ directory }: { directory: string }) => {
  const pending = new Map<string, string>()
  return {
    event: async ({ event }: any) => {
      const properties = event.properties ?? {}
      const sessionID = properties.sessionID ?? properties.info?.id
      if (!sessionID) return
      if (event.type === "session.created") {
        const context = await hook("SessionStart", { sessionID, cwd: directory, source: "startup" })
        if (context) pending.set(sessionID, context)
      }
      if (event.type === "session.idle") await hook("session.idle", { sessionID, cwd: directory })
      if (event.type === "session.deleted") await hook("session.deleted", { sessionID, cwd: directory })
    },
    "chat.message": async (input: any, output: any) => {
      const prompt = (output.parts ?? []).map((part: any) => (part.type === "text" ? part.text : "")).join("\n")
      const context = await hook("UserPromptSubmit", { sessionID: input.sessionID, cwd: directory, prompt })
      if (context) pending.set(input.sessionID, context)
    },
    "experimental.chat.system.transform": async (input: any, output: any) => {
      const context = pending.get(input.sessionID)
      if (context) output.system.push(context)
    },
    "tool.execute.after": async (input: any, output: any) => {
      const exit = output.metadata?.exit
      if (input.tool !== "bash" || !exit) return
      const context = await hook("PostToolUseFailure", {
        sessionID: input.sessionID, cwd: directory, tool_name: "bash", error: `Exit code ${exit}\n${output.output ?? ""}`,
      })
      if (context) output.output = `${output.output ?? ""}\n${context}`
    },
  }
}
