// Once for each page: one watched question whose index has changed is asked again, and new papers are counted.
const response = await fetch(document.body.dataset.news, { method: "POST" });
if (response.ok) {
  const { new: count } = await response.json();
  const badge = document.getElementById("new-papers");
  badge.querySelector(".count").textContent = count;
  badge.hidden = !count;
}
