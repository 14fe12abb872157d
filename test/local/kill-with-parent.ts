// Kills a process group when the parent process ends for any reason.
const group = Number(process.argv[2]);
process.once("disconnect", () => {
  try {
    process.kill(-group, "SIGKILL");
  } catch {}
});
