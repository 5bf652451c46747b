// Starts `citescout lsp` for the documents in which citations are written, and nothing else.

const os = require("node:os");
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const LANGUAGES = ["latex", "tex", "markdown", "quarto", "rmd", "typst"];

let client;
let last = Promise.resolve(); // they follow each other: a client that is starting cannot be stopped

function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("citescout.restart", restart),
    workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("citescout") && restart()),
  );
  return (last = last.then(start));
}

function deactivate() {
  return (last = last.then(stop));
}

function restart() {
  return (last = last.then(stop).then(start));
}

async function stop() {
  const ending = client;
  client = undefined;
  await ending?.stop().catch(() => undefined); // one that ended by itself cannot be stopped
}

async function start() {
  const settings = workspace.getConfiguration("citescout");
  const index = whole(settings.get("index"));
  if (!index) {
    askForIndex();
    return;
  }
  const command = whole(settings.get("command"));
  const args = ["lsp", "--index", index, ...settings.get("arguments")];
  client = new LanguageClient("citescout", { command, args }, {
    // Files of BibTeX, too: the server adds entries behind what is not saved of them.
    documentSelector: [...LANGUAGES, "bibtex"].map((language) => ({ scheme: "file", language })),
    connectionOptions: { maxRestartCount: 1 }, // wrong settings do not become right
  });
  await client.start().catch(() => undefined); // the client has said why, and shows what the program said
}

// Nothing waits for the answer: people may leave it unread.
async function askForIndex() {
  if (await window.showWarningMessage("citescout needs to know the folder of your index.", "Settings")) {
    await commands.executeCommand("workbench.action.openSettings", "citescout.index");
  }
}

function whole(path) {
  return path.replace(/^~(?=$|[/\\])/, os.homedir());
}

module.exports = { activate, deactivate };
